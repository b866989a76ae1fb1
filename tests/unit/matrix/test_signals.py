import os
import signal
import threading

import pytest

from tvm.error import ExitCode
from tvm.matrix.signals import Interrupted, held, interruptible

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


def test_a_signal_waits_for_the_end_of_what_must_be_done_whole() -> None:
    done = list[str]()

    def run() -> None:
        with held():
            os.kill(os.getpid(), signal.SIGTERM)
            done.append("whole")
        done.append("never")

    with pytest.raises(Interrupted) as caught, interruptible():
        run()
    assert (done, caught.value.signal) == (["whole"], signal.SIGTERM)


def test_without_a_signal_what_is_held_leaves_the_handlers_as_they_were() -> None:
    with interruptible():
        before = [signal.getsignal(number) for number, _, _ in ENDS]
        with held():
            pass
        assert [signal.getsignal(number) for number, _, _ in ENDS] == before


def test_a_thread_that_gets_no_signals_is_held_by_none() -> None:
    done = list[str]()

    def run() -> None:
        with held():
            done.append("done")

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert done == ["done"]
