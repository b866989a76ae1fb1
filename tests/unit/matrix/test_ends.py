import signal

import pytest

from tvm.matrix import ends


@pytest.mark.parametrize(
    ("code", "why"),
    [
        (0, ""),
        (1, "pytest ended with 1"),
        (5, "pytest ended with 5"),
        (ends.OVERRUN, "ended after its limit of 60 s"),
        (255, "pytest ended with 255"),
    ],
)
def test_an_exit_code_says_why(code: int, why: str) -> None:
    assert ends.why(code, 60) == why


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_a_signal_is_named_as_a_shell_and_as_python_tell_it(number: signal.Signals) -> None:
    for code in (128 + number, -number):
        assert ends.why(code, 60).startswith(f"ended by {number.name}: ")
