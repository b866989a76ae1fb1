"""The only place that starts a program: no shell, stdin closed, a time limit, the whole process group ended."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO

from tvm.error import CompileError, ToolNotFound, ToolTimeoutError, TVMError
from tvm.support import _pidfd, record
from tvm.support.utils import is_file, search_path, which

Arg = str | os.PathLike[str]

# The longest that asking a tool for its version may take, in seconds.
_VERSION_LIMIT = 20.0
# How long a group that got SIGTERM may clean up before SIGKILL, in seconds.
_GRACE = 0.5


@dataclass(frozen=True, kw_only=True)
class Completed:
    """A finished program: argv as it was started, exit code, stdout and stderr merged (as text and as it came), seconds."""

    argv: tuple[str, ...]
    code: int
    output: str
    seconds: float
    raw: bytes = b""


def run(
    argv: Sequence[Arg],
    *,
    heading: str = "Tool error",
    check: bool = True,
    cwd: Arg | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float | None = None,
    inputs: Sequence[Arg] = (),
    outputs: Sequence[Arg] = (),
    fix: str = "",
    beside: Sequence[Arg] = (),
) -> Completed:
    """Run a program to its end and return what it printed.

    `env` replaces the environment (None: inherited), `timeout` is in seconds (None: no limit), `inputs` and `outputs` are the
    files that a recorder hashes. A missing program raises ToolNotFound; with `check`, an exit code other than 0 raises
    CompileError with `heading`; a program that overruns raises ToolTimeoutError after its process group was ended.
    `beside` are further words for the program that ask for something beside the product (a list of the files it read); they
    stand in no error and in no record.
    """
    environment = dict(os.environ if env is None else env)
    program = locate(argv[0], path=environment.get("PATH", os.defpath), cwd=cwd, fix=fix)
    command = [program, *(os.fspath(argument) for argument in argv[1:])]
    recorder = record.current()
    folder = Path(cwd or ".").absolute()
    read = record.digests(inputs, cwd=folder) if recorder else ()
    done = _execute(command, beside, cwd=cwd, env=environment, timeout=timeout, heading=heading)
    if recorder:
        recorder(
            record.ToolCall(
                kind="process",
                argv=tuple(map(record.strip_credentials, done.argv)),
                tool=identify(program),
                cwd=str(folder),
                seconds=done.seconds,
                exit=done.code,
                inputs=read,
                outputs=record.digests(outputs, cwd=folder),
                environment=record.allowed_environment(environment),
            )
        )
    if check and done.code != 0:
        raise CompileError(heading, command=done.argv, code=done.code, output=done.output, fix=fix)
    return done


def spawn_daemon(argv: Sequence[Arg], *, log: Path, env: Mapping[str, str]) -> int:
    """Start a program that outlives this one and return its pid: own session, stdin closed, output appended to `log`."""
    program = locate(argv[0], path=env.get("PATH", ""))
    descriptors: list[tuple[int, int, str, int, int] | tuple[int, int, int]] = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.fspath(log), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
        (os.POSIX_SPAWN_DUP2, 1, 2),
    ]
    # Popen would warn when its object goes before the program does. What we ignore or block must not be ignored there.
    return os.posix_spawn(
        program,
        [program, *(os.fspath(arg) for arg in argv[1:])],
        env,
        file_actions=descriptors,
        setsid=True,
        setsigmask=(),
        setsigdef=(signal.SIGHUP, signal.SIGINT, signal.SIGPIPE, signal.SIGTERM),
    )


Companion = subprocess.Popen
STDOUT, PIPE, DEVNULL = subprocess.STDOUT, subprocess.PIPE, subprocess.DEVNULL
TimeoutExpired = subprocess.TimeoutExpired
# Companions that nobody waits for: they are about to end.
_ASIDE: "list[subprocess.Popen[bytes]]" = []


def companion(
    argv: Sequence[str],
    *,
    keep: Sequence[int] = (),
    env: Mapping[str, str] | None = None,
    stdin: int = subprocess.DEVNULL,
    stdout: int = subprocess.DEVNULL,
    stderr: int | None = None,
) -> "subprocess.Popen[bytes]":
    """Start a program that serves this process and ends with it: own session, and of our descriptors only those in `keep`.

    `argv[0]` is an absolute path. The caller waits for it, or puts it aside with `put_aside`.
    """
    return subprocess.Popen(
        argv, stdin=stdin, stdout=stdout, stderr=stderr, env=env, pass_fds=tuple(keep), start_new_session=True
    )


def interpreter_options() -> list[str]:
    """Return the options that this interpreter was started with (-O, -W, -X and so on), as multiprocessing passes them on."""
    given: Callable[[], list[str]] = vars(subprocess)["_args_from_interpreter_flags"]
    return given()


def put_aside(child: "subprocess.Popen[bytes]") -> None:
    """Leave a companion that is about to end; the collector may call this, in any thread."""
    _ASIDE.append(child)


def reap(limit: float = 0.0) -> None:
    """Wait, `limit` seconds in all, for the companions that were put aside."""
    deadline = time.monotonic() + limit
    for child in list(_ASIDE):
        with suppress(subprocess.TimeoutExpired, ValueError):
            child.wait(max(0.0, deadline - time.monotonic()))
            _ASIDE.remove(child)


class Tied:
    """A program that runs beside this one; what it reads ends when this one does, however that ends."""

    def __init__(self, child: "subprocess.Popen[bytes]") -> None:
        """`child` has a session of its own, and a pipe of ours as its input."""
        self._child = child

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._child.poll() is None

    def close(self) -> None:
        """End it and its process group. A second call does nothing."""
        if self._child.stdin and not self._child.stdin.closed:
            self._child.stdin.close()
            end_group(self._child)


def spawn_tied(argv: Sequence[Arg], *, log: Path, env: Mapping[str, str]) -> Tied:
    """Start a program that is to end with this one, because its input does: own session, output appended to `log`."""
    program = locate(argv[0], path=env.get("PATH", ""))
    command = [program, *(os.fspath(argument) for argument in argv[1:])]
    with log.open("ab") as sink:
        return Tied(_start(command, sink, cwd=None, env=env, stdin=subprocess.PIPE))


def locate(program: Arg, *, path: str | None = None, cwd: Arg | None = None, fix: str = "") -> str:
    """Return the path that starts `program`: one with a separator is taken as it is (relative to `cwd`), a name is sought on PATH."""
    name = os.fspath(program)
    if Path(name).name != name:
        # Not resolved: a compiler tells by the name of its link what it is.
        found = Path(cwd or ".", name).absolute()
        if is_file(found) and os.access(found, os.X_OK):
            return str(found)
        looked: Sequence[str] = [str(found)]
    else:
        if hit := which(name, path=path):
            return hit
        looked = search_path(path)
    msg = f"program not found: {name!r}"
    raise ToolNotFound(msg, looked=looked, fix=fix or f"install {name}, or put its folder on PATH")


def identify(program: str) -> record.ToolIdentity:
    """Return path, version and sha256 of a program (asked once per size and time of its file)."""
    stat = Path(program).stat()
    return _identify(program, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=256)
def _identify(program: str, size: int, mtime_ns: int) -> record.ToolIdentity:
    return record.ToolIdentity(
        path=os.path.realpath(program),
        version=_version(program),
        sha256=record.cached_digest(program, size, mtime_ns),
    )


def _version(program: str) -> str:
    # A tool that does not know --version must not spoil the call that it was asked for.
    command = [program, "--version"]
    try:
        asked = _execute(command, (), cwd=os.sep, env=dict(os.environ), timeout=_VERSION_LIMIT, heading="Version")
    except ToolTimeoutError:
        return ""
    lines = (line.strip() for line in asked.output.splitlines() if asked.code == 0)
    return next(filter(None, lines), "")


def _execute(
    command: Sequence[str],
    beside: Sequence[Arg],
    *,
    cwd: Arg | None,
    env: Mapping[str, str],
    timeout: float | None,
    heading: str,
) -> Completed:
    # Output goes to a file, not to a pipe: a daemon that the tool leaves behind cannot hold the end of it open.
    with tempfile.TemporaryFile() as sink:
        started = time.monotonic()
        child = _start([*command, *(os.fspath(word) for word in beside)], sink, cwd=cwd, env=env)
        try:
            code = _wait(child, timeout)
        except subprocess.TimeoutExpired:
            end_group(child)
            msg = f"{heading}: ended after its limit of {timeout:g} s"
            output = _written(sink).decode(errors="replace")
            raise ToolTimeoutError(msg, command=command, code=child.returncode, output=output) from None
        except BaseException:
            end_group(child)
            raise
        seconds = time.monotonic() - started
        raw = _written(sink)
        return Completed(argv=tuple(command), code=code, output=raw.decode(errors="replace"), seconds=seconds, raw=raw)


def _wait(child: "subprocess.Popen[bytes]", limit: float | None) -> int:
    if limit is None or child.poll() is not None:
        return child.wait()
    over = time.monotonic() + limit
    _pidfd.wait(child.pid, limit)
    return child.wait(max(0.0, over - time.monotonic()))


def _start(
    command: Sequence[str], sink: IO[bytes], *, cwd: Arg | None, env: Mapping[str, str], stdin: int = subprocess.DEVNULL
) -> "subprocess.Popen[bytes]":
    try:
        return subprocess.Popen(
            command,
            stdin=stdin,
            stdout=sink,
            stderr=subprocess.STDOUT,
            cwd=cwd,
            env=env,
            start_new_session=True,
        )
    except OSError as error:
        msg = f"cannot start {command[0]!r} in {os.fspath(cwd or '.')!r}: {error.strerror}"
        fix = "is the folder there, is the file a program of this system, and is its interpreter (#!) there?"
        raise TVMError(msg, fix=fix) from error


if sys.platform == "win32":

    def _written(sink: IO[bytes]) -> bytes:
        sink.seek(0)
        return sink.read()

    def end_group(child: "subprocess.Popen[bytes]") -> None:
        """End a child. Windows has no process groups: what it started itself stays."""
        child.kill()
        child.wait()

else:

    def _written(sink: IO[bytes]) -> bytes:
        # Without seeking: a daemon that the tool leaves behind writes at the same offset, and may do so right now.
        size, parts, done = os.fstat(sink.fileno()).st_size, list[bytes](), 0
        while part := os.pread(sink.fileno(), size - done, done):
            parts.append(part)
            done += len(part)
        return b"".join(parts)

    def end_group(child: "subprocess.Popen[bytes]") -> None:
        """End a child started with its own session and everything in its process group: SIGTERM, a moment, SIGKILL."""
        _signal_group(child.pid, signal.SIGTERM)
        try:
            _wait(child, _GRACE)
        except subprocess.TimeoutExpired:
            pass
        finally:
            # The group outlives its leader as long as any member runs.
            _signal_group(child.pid, signal.SIGKILL)
            child.wait()

    def _signal_group(group: int, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, number)
