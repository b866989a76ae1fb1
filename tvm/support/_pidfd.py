"""Waits for a process to the moment that it ends: with a limit, subprocess itself looks only every 50 ms."""

import os
import select
import sys

# The longest that poll(2) takes, in milliseconds: 24 days.
_LONGEST = 2**31 - 1

if sys.platform == "linux":

    def wait(pid: int, limit: float) -> None:
        """Return when a child of ours has ended or `limit` seconds are over; at once where the system cannot tell."""
        try:
            ended = os.pidfd_open(pid)
        except (AttributeError, OSError):
            # A Python built with older headers, a kernel before 5.3, a sandbox that does not let it through, or no such child.
            return
        try:
            poll = select.poll()
            poll.register(ended, select.POLLIN)
            poll.poll(min(max(limit, 0.0) * 1000, _LONGEST))
        finally:
            os.close(ended)

else:

    def wait(pid: int, limit: float) -> None:
        """Return at once: this system cannot tell."""
