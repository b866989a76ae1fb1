"""What a worker answers, as what the parent returns or raises. The parts of an exception are described in tvm.exec.popen_worker."""

import pickle
import signal
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from tvm.error import (
    PoolError,
    RemoteTaskError,
    ResultError,
    TaskExitError,
    TaskInterruptedError,
    TaskLoadError,
    WorkerDiedError,
)
from tvm.support._pool.frames import Answer, Frame
from tvm.support._pool.processes import Ending

E = TypeVar("E", bound=BaseException)


@dataclass(frozen=True, kw_only=True)
class Parts:
    """An exception as a worker sends it."""

    how: str
    data: bytes
    type_name: str
    text: str
    trace: str
    cause: "tuple[Any, ...] | None"
    context: "tuple[Any, ...] | None"
    suppress: bool


def value_of(frame: Frame) -> Any:
    """Return what the task returned, or raise what it raised."""
    try:
        value = pickle.loads(frame.body)  # noqa: S301 - our own worker wrote it
    except Exception as error:
        msg = f"the result of the task cannot be loaded here: {type(error).__name__}: {error}"
        raise ResultError(msg, fix="return what this process can import") from error
    kind = Answer(frame.kind)
    if kind in {Answer.COMPLETE, Answer.PLAIN}:
        return value
    raise _error(kind, value)


def _error(kind: Answer, value: Any) -> BaseException:
    match kind:
        case Answer.EXCEPTION:
            return exception(_parts(value))
        case Answer.UNLOADABLE:
            return _caused(_load_error(_parts(value)), _parts(value))
        case Answer.UNPICKLABLE:
            name, described = value
            return _result_error(name, _parts(described))
        case Answer.EXITED:
            return _exit_error(_parts(value))
        case Answer.INTERRUPTED:
            return _noted(TaskInterruptedError("the task raised KeyboardInterrupt"), _parts(value))
        case Answer.COMPLETE | Answer.PLAIN | Answer.STARTED:
            return PoolError(f"a worker does not send {kind.name} as an error")


def _result_error(name: str, parts: Parts) -> PoolError:
    msg = f"the result of the task, a {name}, cannot be pickled: {parts.text}"
    return _caused(ResultError(msg, fix="return plain data"), parts)


def _load_error(parts: Parts) -> TaskLoadError:
    msg = f"the worker cannot load the task: {parts.type_name}: {parts.text}"
    return TaskLoadError(msg, fix="put the folder of its module on sys.path, as an absolute path")


def _exit_error(parts: Parts) -> TaskExitError:
    original = exception(parts)
    code = original.code if isinstance(original, SystemExit) else parts.text
    return _noted(TaskExitError(f"the task raised SystemExit({code!r})", code=code, fix="return instead"), parts)


def _parts(value: tuple[Any, ...]) -> Parts:
    how, data, type_name, text, trace, cause, context, suppressed = value
    return Parts(
        how=how,
        data=data,
        type_name=type_name,
        text=text,
        trace=trace,
        cause=cause,
        context=context,
        suppress=suppressed,
    )


def exception(parts: Parts) -> BaseException:
    """Return the exception itself, with what was behind it, and the worker's traceback as a note."""
    try:
        error = _unpacked(parts)
    except Exception as failure:  # noqa: BLE001 - loading runs what the class wants
        error = _stand_in(parts, f" ({type(failure).__name__}: {failure})")
    if parts.cause:
        error.__cause__ = exception(_parts(parts.cause))
    if parts.context:
        error.__context__ = exception(_parts(parts.context))
    elif parts.cause:
        error.__context__ = error.__cause__
    error.__suppress_context__ = parts.suppress
    return _noted(error, parts)


def _unpacked(parts: Parts) -> BaseException:
    if parts.how == "text":
        return _stand_in(parts, "")
    loaded: Any = pickle.loads(parts.data)  # noqa: S301 - our own worker wrote it
    error: BaseException = loaded if parts.how == "whole" else _rebuilt(*loaded)
    return error


def _rebuilt(
    cls: type[BaseException], args: tuple[Any, ...], state: dict[str, Any], slots: dict[str, Any]
) -> BaseException:
    # Its own constructor may want other arguments than those that it gave to Exception's.
    base = next(one for one in cls.__mro__ if one.__module__ == "builtins")
    error: BaseException = base.__new__(cls, *args)
    error.args = args
    error.__dict__.update(state)
    for name, value in slots.items():
        with suppress(AttributeError, TypeError):
            setattr(error, name, value)
    return error


def _stand_in(parts: Parts, why: str) -> RemoteTaskError:
    msg = f"the task raised {parts.type_name}, which cannot be sent here{why}: {parts.text}"
    return RemoteTaskError(msg, type_name=parts.type_name, text=parts.text)


def _noted(error: E, parts: Parts) -> E:
    if parts.trace:
        # add_note is not there in Python 3.10, which shows no notes either; who reads them finds them all the same.
        notes = [*getattr(error, "__notes__", ()), f"in the worker process:\n{parts.trace.rstrip()}"]
        vars(error)["__notes__"] = notes
    return error


def _caused(error: PoolError, parts: Parts) -> PoolError:
    error.__cause__ = exception(parts)
    return error


def death(ending: Ending, *, doing: str) -> WorkerDiedError:
    """Return the error for a worker that is gone. `doing` says what it was at."""
    if ending.why:
        return WorkerDiedError(f"the worker was lost while it {doing}: {ending.why}")
    if ending.code is None or ending.code >= 0:
        return WorkerDiedError(f"the worker exited while it {doing}: exit code {ending.code}")
    return WorkerDiedError(
        f"the worker was ended by {_signal_name(-ending.code)} while it {doing}", fix=_advice(-ending.code)
    )


def killed() -> WorkerDiedError:
    """Return the error for a worker that is ended on request."""
    return WorkerDiedError("the worker was ended by kill, kill_workers or the end of this process")


def caught_up() -> WorkerDiedError:
    """Return the error of a task that began in the moment in which its worker was ended for the task before it."""
    return WorkerDiedError("the worker was ended for the task before this one, which had just begun")


def _signal_name(number: int) -> str:
    try:
        return f"signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"signal {number}"


def _advice(number: int) -> str:
    if number == getattr(signal, "SIGKILL", 9):
        return "did memory run out? The system ends processes this way (dmesg shows it)"
    return ""
