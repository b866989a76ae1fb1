"""The exception tree. Each class has the exit code that `python -m tvm.matrix` ends with."""

from collections.abc import Sequence
from enum import IntEnum


class ExitCode(IntEnum):
    """What `python -m tvm.matrix` exits with. nox turns every failure into 1."""

    OK = 0
    FAILED = 1
    USAGE = 2
    CONFIG = 3
    ENGINE = 4
    IMAGE = 5
    VENDOR = 6
    STORAGE = 7
    SOURCE = 8
    DIFFERENT = 9
    COVERAGE = 10
    UNAVAILABLE = 11
    HANGUP = 129
    INTERRUPTED = 130
    TERMINATED = 143


class TVMError(RuntimeError):
    """Any error of this project: a cause, and where one is known a fix."""

    exit_code = ExitCode.FAILED

    def __init__(self, cause: str, *, fix: str = "", looked: Sequence[str] = ()) -> None:
        """`cause` says what is wrong, `fix` what to do, `looked` where it was searched."""
        super().__init__(cause, fix, tuple(looked))
        self.cause = cause
        self.fix = fix
        self.looked = tuple(looked)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle by attributes: a subclass may take other arguments than this class."""
        return _rebuild, (type(self), self.args, self.__dict__)

    def __str__(self) -> str:
        parts = [self.cause]
        if self.looked:
            parts.append("looked in:\n" + "\n".join(f"  {place}" for place in self.looked))
        if self.fix:
            parts.append(f"fix: {self.fix}")
        return "\n".join(parts)


def _rebuild(cls: type[TVMError], args: tuple[object, ...], state: dict[str, object]) -> TVMError:
    # A time limit's error is an OSError too, and only that class can make one.
    error = OSError.__new__(cls) if issubclass(cls, OSError) else cls.__new__(cls)
    error.args = args
    error.__dict__.update(state)
    return error


class ToolNotFound(TVMError):
    """A program is not there. `looked` lists where it was searched, `fix` what to install or set."""

    exit_code = ExitCode.UNAVAILABLE


class CompileError(TVMError):
    """A tool ran and failed. The message holds the heading, the tool's own output and the command line."""

    def __init__(self, heading: str, *, command: Sequence[str], code: int, output: str, fix: str = "") -> None:
        """`heading` is what failed ("Compilation error"), `command` the argv, `code` the exit status, `output` the tool's."""
        line = " ".join(command)
        super().__init__(f"{heading}:\n{output}\nCommand line: {line}\nexit code: {code}", fix=fix)
        self.command = tuple(command)
        self.code = code
        self.output = output


class ToolTimeoutError(CompileError, TimeoutError):
    """A tool ran longer than its limit, in seconds, and its whole process group was ended."""


class PoolError(TVMError, ChildProcessError):
    """A worker process gave no result of its task: the subclasses say why."""


class WorkerDiedError(PoolError):
    """A worker process ended while it had a task: killed, crashed, or the task ended it (`os._exit`)."""


class TaskExitError(PoolError):
    """A task raised SystemExit, in which a worker process does not let itself be ended. `code` is its argument."""

    def __init__(self, cause: str, *, code: object, fix: str = "") -> None:
        """`code` is what sys.exit was called with."""
        super().__init__(cause, fix=fix)
        self.code = code


class TaskInterruptedError(PoolError):
    """A task raised KeyboardInterrupt. Ctrl-C does not reach worker processes."""


class TaskLoadError(PoolError):
    """A worker process cannot load the task: a module is not there, or an object does not unpickle."""


class ResultError(PoolError):
    """What a task returned cannot be pickled, or not be unpickled by the process that waits for it."""


class RemoteTaskError(PoolError):
    """A task raised an exception that cannot be sent. `type_name` and `text` are the original's."""

    def __init__(self, cause: str, *, type_name: str, text: str, fix: str = "") -> None:
        """`type_name` is the original's class, `text` its message."""
        super().__init__(cause, fix=fix)
        self.type_name = type_name
        self.text = text


class TaskTimeoutError(TVMError, TimeoutError):
    """A task ran longer than its limit. It was ended, and so was every process that it had started."""


class LockTimeoutError(TVMError, TimeoutError):
    """A file lock is held by another thread or process."""


class ArchiveError(TVMError):
    """An archive has a member that is refused, or cannot be read or written."""

    exit_code = ExitCode.SOURCE


class ConfigError(TVMError):
    """matrix.yaml, an option or an environment variable is wrong."""

    exit_code = ExitCode.CONFIG


class EngineError(TVMError):
    """The container engine is absent, does not answer, refuses, or went away."""

    exit_code = ExitCode.ENGINE


class ImageError(TVMError):
    """An image cannot be built, or does not hold what matrix.yaml says."""

    exit_code = ExitCode.IMAGE


class VendorError(TVMError):
    """A vendor's download or package index does not answer, is not pinned, or gives other files than its pin."""

    exit_code = ExitCode.VENDOR


class StorageError(TVMError):
    """A result cannot be written: disk full, no permission, a link where a file must be."""

    exit_code = ExitCode.STORAGE


class SourceError(TVMError):
    """A source or the tree cannot be read: a file is missing, or is a link that leaves the tree."""

    exit_code = ExitCode.SOURCE


class CellFailedError(TVMError):
    """A check of a cell failed."""


class BoxGoneError(CellFailedError):
    """A box ended before its cell did: by its limit, by what ran in it, or by somebody. The engine is well."""


class UnavailableError(TVMError):
    """Nothing of a cell could run: this machine has not the tools that it needs."""

    exit_code = ExitCode.UNAVAILABLE


class DifferenceError(TVMError):
    """Two builds of one cell did not give the same bytes."""

    exit_code = ExitCode.DIFFERENT


class CoverageError(TVMError):
    """An arch did not reach the depth that matrix.yaml declares."""

    exit_code = ExitCode.COVERAGE


class ArgumentError(TVMError, ValueError):
    """An argument of a script member has a value that it cannot have."""


class ArgumentTypeError(TVMError, TypeError):
    """An argument of a script member has a type that it cannot have, or the arguments are not those of the member."""


class RegistryError(TVMError, ValueError):
    """A name is registered twice, is not registered, or is no name that can be."""


class TargetError(TVMError, ValueError):
    """A target's description is wrong: an unknown kind, tag or option, or a value of the wrong type."""


class DeviceError(TVMError, ValueError):
    """A device is asked for that is not there, or of a type that no backend answers for."""


class DispatchError(TVMError):
    """No implementation of an operation accepts the call; the message says why each refused."""


class BackendNameError(TVMError, ValueError):
    """A backend has a name that is none, or that would hide a module of tvm.tirx."""


class BackendNotFoundError(TVMError, ImportError):
    """No package tvm.backend.NAME can be imported."""


class BackendHookError(TVMError, AttributeError):
    """A package tvm.backend.NAME has no function register_backend()."""
