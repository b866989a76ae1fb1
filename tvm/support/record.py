"""Who made what: every tool call as data, handed to one recorder.

A recorder is set for a block of code by `recording`. Where the environment variable TVM_MATRIX_RECORD names a file, each call is
appended to that file as well, as one line of JSON.
"""

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path

from tvm.error import StorageError

# What may influence a product. Anything else, secrets above all, never reaches a record.
_ENVIRONMENT = re.compile(
    r"PATH|LANG|LC_[A-Z]+|TZ|SOURCE_DATE_EPOCH|CC|CXX|CPATH|C_INCLUDE_PATH|CPLUS_INCLUDE_PATH|LIBRARY_PATH|LD_LIBRARY_PATH"
    r"|CCACHE_DIR|CCACHE_BASEDIR|SCCACHE_DIR|CUDA_PATH|CUDA_HOME|NVSHMEM_HOME|ROCM_PATH|EM_CACHE|EM_CONFIG"
    r"|TVM_NDK_CC|TVM_WIN_CC|TVM_WIN_TARGET|HIP(CC)?_[A-Z_]+|TVM_ROCM_ARCH|TVM_LLVM_VERSION|TVM_CUDA_[A-Z_]+|TVM_KERNEL_[A-Z]+"
)
# The USER@ of our own advice (ssh://USER@HOST) is nobody's.
_CREDENTIALS = re.compile(r"(?<=://)(?!USER@)[^/?#\s]*@")


@dataclass(frozen=True, kw_only=True)
class FileDigest:
    """One file: its path as the call named it, and the sha256 of its bytes in hex."""

    path: str
    sha256: str


@dataclass(frozen=True, kw_only=True)
class ToolIdentity:
    """A program or library: its resolved path, the first line of what it says of its version, its sha256 in hex."""

    path: str
    version: str
    sha256: str


@dataclass(frozen=True, kw_only=True)
class ToolCall:
    """One call: kind ("process" or "library"), argv or options, tool, files read and written, seconds, exit code.

    `cached` is true where the product came from the compile cache and the tool was not started.
    """

    kind: str
    argv: tuple[str, ...]
    tool: ToolIdentity
    cwd: str
    seconds: float
    exit: int
    inputs: tuple[FileDigest, ...] = ()
    outputs: tuple[FileDigest, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    cached: bool = False


Recorder = Callable[[ToolCall], None]


def _nobody(_call: ToolCall) -> None:
    """Keep nothing."""


_recorder: ContextVar[Recorder | None] = ContextVar("tvm_tool_call_recorder", default=None)


@contextmanager
def recording(recorder: Recorder) -> Iterator[None]:
    """Hand every tool call of the block to `recorder`, and to the one outside it: no listener hides a call from a manifest."""
    outside = current()
    token = _recorder.set(recorder if outside is None else _both(recorder, outside))
    try:
        yield
    finally:
        _recorder.reset(token)


@contextmanager
def unrecorded() -> Iterator[None]:
    """Record no tool call of the block: it belongs to another call, or asks a tool about itself."""
    token = _recorder.set(_nobody)
    try:
        yield
    finally:
        _recorder.reset(token)


def _both(inner: Recorder, outer: Recorder) -> Recorder:
    def give(call: ToolCall) -> None:
        inner(call)
        outer(call)

    return give


def current() -> Recorder | None:
    """Return the recorder in force, or None: then nothing is hashed and nothing is kept."""
    recorder = _recorder.get()
    if recorder is _nobody:
        return None
    if recorder is None and (path := os.environ.get("TVM_MATRIX_RECORD")):
        return lambda call: _append(Path(path), call)
    return recorder


def digest(path: Path) -> str:
    """Return the sha256 of a file in hex."""
    sha = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            sha.update(block)
    return sha.hexdigest()


def digests(paths: Sequence[str | os.PathLike[str]], *, cwd: Path) -> tuple[FileDigest, ...]:
    """Return the digest of each path that is a file; paths are relative to `cwd`."""
    named = [(os.fspath(path), cwd / path) for path in paths]
    return tuple(FileDigest(path=name, sha256=digest(path)) for name, path in named if path.is_file())


def allowed_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that may stand in a record, sorted by name, without credentials in URLs."""
    kept = (name for name in sorted(environment) if _ENVIRONMENT.fullmatch(name))
    return {name: strip_credentials(environment[name]) for name in kept}


def strip_credentials(text: str) -> str:
    """Cut user:password out of every URL in `text`."""
    return _CREDENTIALS.sub("", text)


@lru_cache(maxsize=256)
def cached_digest(path: str, _size: int, _mtime_ns: int) -> str:
    """Return the sha256 of a tool, computed once as long as its size and time stay."""
    return digest(Path(path))


def _append(path: Path, call: ToolCall) -> None:
    line = (json.dumps(asdict(call), sort_keys=True) + "\n").encode()
    # One write in append mode: lines of processes that run at once do not mix.
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    except OSError as error:
        msg = f"cannot record a tool call in {os.fspath(path)!r}: {error.strerror}"
        raise StorageError(msg, fix="set TVM_MATRIX_RECORD to a file that can be written, or unset it") from error
    try:
        os.write(descriptor, line)
    finally:
        os.close(descriptor)
