"""Ends: the first SIGINT, SIGTERM or SIGHUP interrupts the run, a second one changes nothing."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from tvm.error import ExitCode

_EXITS = {
    signal.SIGINT: ExitCode.INTERRUPTED,
    signal.SIGTERM: ExitCode.TERMINATED,
    signal.SIGHUP: ExitCode.HANGUP,
}


class Interrupted(BaseException):
    """The run was told to end. Not an Exception, so that no handler of errors takes it for one."""

    def __init__(self, number: int) -> None:
        """Keep the signal of this number."""
        super().__init__(number)
        self.signal = signal.Signals(number)

    @property
    def exit_code(self) -> ExitCode:
        """130, 143 or 129."""
        return _EXITS[self.signal]


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise Interrupted in the block at the first signal; ignore the ones that follow, so that clean-up runs to its end."""
    pending = True

    def handle(number: int, _frame: FrameType | None) -> None:
        nonlocal pending
        if pending:
            pending = False
            raise Interrupted(number)

    previous = {number: signal.signal(number, handle) for number in _EXITS}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


@contextmanager
def held() -> Iterator[None]:
    """Let a signal wait for the end of the block: what stands in it is done whole or not begun."""
    if threading.current_thread() is not threading.main_thread():
        # Python gives signals to the main thread only.
        yield
        return
    waiting: list[int] = []
    previous = {number: signal.signal(number, lambda number, _frame: waiting.append(number)) for number in _EXITS}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
        if waiting:
            signal.raise_signal(waiting[0])
