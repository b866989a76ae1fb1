"""The only door to tools that are libraries (NVRTC, nvJitLink, nvfatbin): in this process, or in one that a time limit can end."""

import json
import os
import pickle
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TypeVar, cast

from tvm.error import CompileError, ToolTimeoutError
from tvm.support import process, record
from tvm.support.utils import tempdir

T = TypeVar("T")

# The parent's sys.path goes along, so that the child finds the same modules; its current directory is not searched.
# It loads no backends: a hook of one may ask for devices, which is what such a process is for, and so on without an end.
_CHILD = (
    "import json, os, sys; os.environ['TVM_DEVICE_BACKEND_AUTOLOAD'] = '0'; "
    "sys.path[:] = json.loads(sys.argv[1]); from tvm.support import _library_child as child; child.main(*sys.argv[2:])"
)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a library gave: code (0 for success), log, products by name, files that it wrote itself, and which library it was."""

    code: int
    log: str
    path: str
    version: str
    products: Mapping[str, bytes] = field(default_factory=dict)
    written: Sequence[Path] = ()


@dataclass(frozen=True, kw_only=True)
class Timed:
    """An outcome and the seconds that it took."""

    outcome: Outcome
    seconds: float


def call(
    function: Callable[[T], Outcome],
    job: T,
    *,
    name: str,
    options: Sequence[str],
    inputs: Mapping[str, bytes | Path],
    heading: str = "Tool error",
    timeout: float | None = None,
    fix: str = "",
) -> Outcome:
    """Call `function(job)`, which uses the library called `name`, and return what it gave.

    With a `timeout`, in seconds, it runs in a child process, which is ended after it: function and job then must be picklable.
    `options` are what the library is told and `inputs` what it reads; both only describe the call, in errors and in records.
    CompileError when the code is not 0, ToolTimeoutError when the limit is reached.
    """
    timed = run_timed(function, job) if timeout is None else _in_child(function, job, name, options, heading, timeout)
    if recorder := record.current():
        recorder(described(timed, options, inputs))
    if timed.outcome.code != 0:
        raise CompileError(
            heading, command=[name, *options], code=timed.outcome.code, output=timed.outcome.log, fix=fix
        )
    return timed.outcome


def run_timed(function: Callable[[T], Outcome], job: T) -> Timed:
    """Call the function and measure it."""
    started = time.monotonic()
    outcome = function(job)
    return Timed(outcome=outcome, seconds=time.monotonic() - started)


def _in_child(
    function: Callable[[T], Outcome], job: T, name: str, options: Sequence[str], heading: str, timeout: float
) -> Timed:
    with tempdir() as folder:
        asked, answered = folder / "job", folder / "answer"
        asked.write_bytes(pickle.dumps((function, job)))
        search = json.dumps(_search_path())
        argv: list[process.Arg] = [sys.executable, "-I", "-c", _CHILD, search, asked, answered]
        try:
            # The library's own call is what a record shall show.
            with record.unrecorded():
                done = process.run(argv, heading=heading, timeout=timeout)
        except CompileError as error:
            kind = ToolTimeoutError if isinstance(error, ToolTimeoutError) else CompileError
            text = f"{heading}: ended after its limit of {timeout:g} s" if kind is ToolTimeoutError else heading
            raise kind(text, command=[name, *options], code=error.code, output=error.output) from None
        if not answered.is_file():
            # The library has ended the process, as if all were well.
            raise CompileError(heading, command=[name, *options], code=done.code, output=done.output)
        # Written by our own child into a folder that is this user's alone.
        answer = pickle.loads(answered.read_bytes())  # noqa: S301
    if isinstance(answer, BaseException):
        raise answer
    return cast("Timed", answer)


def _search_path() -> list[str]:
    absolute = [entry for entry in map(str, sys.path) if Path(entry).is_absolute()]
    # It may be the current directory alone that this package was found in.
    own = str(Path(__file__).parents[2])
    return absolute if own in absolute else [own, *absolute]


def described(
    timed: Timed, options: Sequence[str], inputs: Mapping[str, bytes | Path], *, cached: bool = False
) -> record.ToolCall:
    """Return the call as it is recorded; `cached` if the library was not called for it."""
    outcome = timed.outcome
    stat = Path(outcome.path).stat()
    return record.ToolCall(
        kind="library",
        argv=tuple(map(record.strip_credentials, options)),
        tool=record.ToolIdentity(
            path=outcome.path,
            version=outcome.version,
            sha256=record.cached_digest(outcome.path, stat.st_size, stat.st_mtime_ns),
        ),
        cwd=str(Path.cwd()),
        seconds=timed.seconds,
        exit=outcome.code,
        inputs=_digests(inputs),
        outputs=_digests({**outcome.products, **{os.fspath(path): path for path in outcome.written}}),
        environment=record.allowed_environment(os.environ),
        cached=cached,
    )


def _digests(contents: Mapping[str, bytes | Path]) -> tuple[record.FileDigest, ...]:
    return tuple(record.FileDigest(path=name, sha256=_digest(data)) for name, data in contents.items())


def _digest(data: bytes | Path) -> str:
    return record.digest(data) if isinstance(data, Path) else sha256(data).hexdigest()
