"""Waits for descriptors."""

import select
import sys
from typing import Protocol

# Seconds; systems cannot wait for any number of them.
_LONGEST_WAIT = 3600.0


class Poll(Protocol):
    """What waits for descriptors."""

    def register(self, descriptor: int) -> None:
        """Wait for what can be read from it."""

    def unregister(self, descriptor: int) -> None:
        """Forget it, if it is known."""

    def sending(self, descriptor: int, *, on: bool) -> None:
        """Wait, or do not wait, until more can be sent to it."""

    def wait(self, seconds: float | None) -> set[int]:
        """Return what is ready, after `seconds` at most (None: whenever something is)."""


def poll() -> Poll:
    """Return what waits for descriptors here."""
    return SelectPoll() if sys.platform == "win32" else SystemPoll()


class SystemPoll:
    """Waits by poll, which knows no highest descriptor."""

    def __init__(self) -> None:
        self._poll = select.poll()
        self._known: dict[int, bool] = {}

    def register(self, descriptor: int) -> None:
        """Wait for what can be read from it."""
        self._known[descriptor] = False
        self._poll.register(descriptor, select.POLLIN)

    def unregister(self, descriptor: int) -> None:
        """Forget it, if it is known."""
        if self._known.pop(descriptor, None) is not None:
            self._poll.unregister(descriptor)

    def sending(self, descriptor: int, *, on: bool) -> None:
        """Wait, or do not wait, until more can be sent to it."""
        if self._known.get(descriptor, on) is not on:
            self._known[descriptor] = on
            self._poll.modify(descriptor, select.POLLIN | (select.POLLOUT if on else 0))

    def wait(self, seconds: float | None) -> set[int]:
        """Return what is ready, after `seconds` at most (None: whenever something is)."""
        # Rounded up: to wake too early would mean to wait again.
        limit = None if seconds is None else int(min(seconds, _LONGEST_WAIT) * 1000) + (seconds > 0)
        return {descriptor for descriptor, _ in self._poll.poll(limit)}


class SelectPoll:
    """Waits by select, which Windows has for sockets."""

    def __init__(self) -> None:
        self._known: dict[int, bool] = {}

    def register(self, descriptor: int) -> None:
        """Wait for what can be read from it."""
        self._known[descriptor] = False

    def unregister(self, descriptor: int) -> None:
        """Forget it, if it is known."""
        self._known.pop(descriptor, None)

    def sending(self, descriptor: int, *, on: bool) -> None:
        """Wait, or do not wait, until more can be sent to it."""
        if descriptor in self._known:
            self._known[descriptor] = on

    def wait(self, seconds: float | None) -> set[int]:
        """Return what is ready, after `seconds` at most (None: whenever something is)."""
        sending = [descriptor for descriptor, on in self._known.items() if on]
        limit = None if seconds is None else min(seconds, _LONGEST_WAIT)
        readable, writable, _ = select.select(list(self._known), sending, [], limit)
        return {*readable, *writable}
