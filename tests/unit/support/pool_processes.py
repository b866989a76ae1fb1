"""What the tests of the pool see of processes."""

import os
import time
from collections.abc import Callable
from pathlib import Path

from tvm.support._pool import supervisor

# No machine is so busy.
PATIENCE = 30.0


def below(pid: int | None = None) -> set[int]:
    """Return the processes below one (this one) that run."""
    own = pid or os.getpid()
    return {one for one in supervisor.descendants({own}) - {own} if supervisor.is_running(one)}


def await_that(holds: Callable[[], object]) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, "it does not come to hold"
        time.sleep(0.005)


def is_supervisor(pid: int) -> bool:
    """Tell whether a process is a pool's supervisor."""
    return b"supervisor.py" in Path(f"/proc/{pid}/cmdline").read_bytes()


def supervisor_of(pid: int) -> int:
    """Return the supervisor that started a worker."""
    return int(Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
