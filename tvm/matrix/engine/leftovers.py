"""Processes that outlive the program that started them: found by a variable in their environment, and ended."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

# Set for every program of a local box, and inherited by what it starts; the value is the box's folder.
VARIABLE = "TVM_MATRIX_BOX"

_PROC = Path("/proc")
# A process may start another one while it is being ended.
_ROUNDS = 5


def end(box: str) -> None:
    """End every process of this user that belongs to a box, daemons included. Where there is no /proc none is found."""
    for _ in range(_ROUNDS):
        found = list(members(box))
        if not found:
            return
        for pid in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)


def members(box: str) -> Iterator[int]:
    """Yield the pids of a box's processes."""
    mark = f"{VARIABLE}={box}".encode()
    pids = (int(entry.name) for entry in _PROC.glob("[0-9]*"))
    return (pid for pid in pids if pid != os.getpid() and mark in _environment(pid).split(b"\0"))


def _environment(pid: int) -> bytes:
    try:
        return (_PROC / str(pid) / "environ").read_bytes()
    except OSError:
        # Gone, or another user's. A zombie's is empty.
        return b""
