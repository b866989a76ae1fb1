"""What a worker process is to its parent, on any system, and where one is started."""

import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from tvm.error import TVMError
from tvm.support import process
from tvm.support._pool.frames import Channel

WORKER = str(Path(__file__).parents[2] / "exec" / "popen_worker.py")
# What a worker's autoload of back ends is switched off by.
_AUTOLOAD = "TVM_DEVICE_BACKEND_AUTOLOAD"

# Set for a worker alone: the folder of its task's temporary files, see tvm.exec.popen_worker.
TEMP_VARIABLE = "TVM_POOL_TEMP"

Output = int | IO[bytes] | IO[str] | None


class Process(Protocol):
    """One worker process. Nothing here waits, but `ended` where it has to end it by itself."""

    channel: Channel
    # Whether tasks can be sent to it in advance and be taken back.
    takes_advance: bool

    @property
    def pid(self) -> int:
        """Its number; 0 while that is not known."""

    def line_fileno(self) -> int:
        """Return the descriptor that can be read when its end is known."""

    def permit(self, count: int) -> None:
        """Let it start so many tasks more that are sent in advance."""

    def recall(self, count: int) -> int:
        """Take back so many permits, and return how many of them it had not used."""

    def kill(self) -> None:
        """End it, and all that it has started."""

    def finish(self) -> None:
        """Let it end itself, and end it after a moment."""

    def ended(self, *, force: bool) -> "Ending | None":
        """Return how it ended once it is gone with all that it had started. `force` sees to that by other means."""

    def close(self) -> None:
        """Give back what this process holds of it."""


@dataclass(frozen=True, kw_only=True)
class Ending:
    """How a worker ended: exit code, or the negative number of a signal; None if nobody knows. `why` it could not start."""

    code: int | None
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class Command:
    """How to start a worker: program and arguments, environment, descriptors of its output."""

    argv: tuple[str, ...]
    environment: dict[str, str]
    stdout: Output = None
    stderr: Output = None


class Launcher(Protocol):
    """Starts the workers of one pool."""

    def prepare(self) -> None:
        """Start what starts them, in the thread of the first task: it must not happen while that thread forks."""

    def launch(self, command: Command) -> Process:
        """Start one."""

    def close(self, limit: float) -> None:
        """End what is left of them, waiting `limit` seconds for it."""


def command(*, stdout: Output, stderr: Output, autoload: bool) -> Command:
    """Return how to start a worker now: this interpreter with its own options, and the environment as it is."""
    environment = dict(os.environ)
    environment.pop(TEMP_VARIABLE, None)
    if not autoload:
        environment[_AUTOLOAD] = "0"
    return Command(
        argv=(interpreter(), *process.interpreter_options(), WORKER),
        environment=environment,
        stdout=stdout,
        stderr=stderr,
    )


def interpreter() -> str:
    """Return the path of the running interpreter."""
    if not sys.executable:
        msg = "worker processes need a Python interpreter, and this program does not know its own"
        raise TVMError(msg, fix="set sys.executable to the path of an interpreter of the same version")
    return str(Path(sys.executable).absolute())


def search_path() -> list[str]:
    """Return what a worker's sys.path shall be: this one, without entries that mean the current directory."""
    return [entry for entry in map(str, sys.path) if Path(entry).is_absolute()]


def descriptor_of(output: Output, inherited: int) -> int:
    """Return a new descriptor of where a worker's output shall go; `inherited` is ours."""
    match output:
        case None:
            return _copy_or_null(inherited)
        case process.DEVNULL:
            return os.open(os.devnull, os.O_WRONLY)
        case int() if output >= 0:
            return os.dup(output)
        case int():
            msg = f"a worker's output can be None, a file, a descriptor or DEVNULL, not {output}"
            raise ValueError(msg)
        case _:
            return os.dup(output.fileno())


def _copy_or_null(descriptor: int) -> int:
    try:
        return os.dup(descriptor)
    except OSError:
        # A daemon may have closed its own.
        return os.open(os.devnull, os.O_WRONLY)


def make_folder() -> str:
    """Make and return the folder that holds the temporary files of a pool's tasks; "" where that is not possible."""
    try:
        folder = Path(tempfile.gettempdir(), f"tvm-pool-{os.urandom(8).hex()}")
        folder.mkdir(mode=0o700)
    except OSError:
        return ""
    return str(folder)


def arguments(items: Sequence[str]) -> list[bytes]:
    """Return arguments as the system takes them."""
    return [os.fsencode(item) for item in items]
