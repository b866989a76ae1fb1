import os
import signal

import pytest

from tvm.error import ExitCode
from tvm.matrix.signals import Interrupted, interruptible

ENDS = [
    (signal.SIGINT, ExitCode.INTERRUPTED, 130),
    (signal.SIGTERM, ExitCode.TERMINATED, 143),
    (signal.SIGHUP, ExitCode.HANGUP, 129),
]


@pytest.mark.parametrize(("number", "code", "value"), ENDS)
def test_the_first_signal_interrupts_with_its_exit_code(number: signal.Signals, code: ExitCode, value: int) -> None:
    with pytest.raises(Interrupted) as caught, interruptible():
        os.kill(os.getpid(), number)
    assert (caught.value.signal, caught.value.exit_code, int(caught.value.exit_code)) == (number, code, value)


@pytest.mark.parametrize("second", [number for number, _, _ in ENDS])
def test_a_second_signal_changes_nothing(second: signal.Signals) -> None:
    cleaned = list[str]()

    def run() -> None:
        try:
            os.kill(os.getpid(), signal.SIGINT)
        finally:
            os.kill(os.getpid(), second)
            cleaned.append("to the end")

    with pytest.raises(Interrupted) as caught, interruptible():
        run()
    assert (cleaned, caught.value.signal) == (["to the end"], signal.SIGINT)


def test_the_handlers_before_are_in_force_again_after_the_block() -> None:
    before = [signal.getsignal(number) for number, _, _ in ENDS]
    with interruptible():
        inside = [signal.getsignal(number) for number, _, _ in ENDS]
    assert [signal.getsignal(number) for number, _, _ in ENDS] == before
    assert inside != before


def test_the_handlers_before_are_in_force_again_after_an_interrupt() -> None:
    before = [signal.getsignal(number) for number, _, _ in ENDS]
    with pytest.raises(Interrupted), interruptible():
        os.kill(os.getpid(), signal.SIGTERM)
    assert [signal.getsignal(number) for number, _, _ in ENDS] == before


def test_an_interrupt_is_no_error_that_a_handler_of_errors_takes() -> None:
    assert not issubclass(Interrupted, Exception)
