"""How a program in a box has ended, told from its exit code."""

import signal

# What `timeout` ends with when the program overran; a box says so too when it had to be killed.
OVERRUN = 124
# A shell says of a program that a signal has ended: this and the signal's number.
_SIGNALLED = 128


def why(code: int, limit: int) -> str:
    """Return why a check did not pass; "" where it did. `limit` is the one that it had, in seconds."""
    if code == 0:
        return ""
    if code == OVERRUN:
        return f"ended after its limit of {limit} s"
    if name := _signal(code):
        return f"ended by {name}: something in the box sent it, or the system did for want of memory"
    return f"pytest ended with {code}"


def _signal(code: int) -> str:
    number = -code if code < 0 else code - _SIGNALLED
    try:
        return signal.Signals(number).name
    except ValueError:
        return ""
