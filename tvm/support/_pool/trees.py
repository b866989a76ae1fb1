"""A process and all that it has started."""

import os
from contextlib import suppress

from tvm.support._pool import supervisor


def end_below(pid: int) -> None:
    """End all that a process has started, but not itself."""
    if os.name == "nt":
        _end_below_by_psutil(pid)
        return
    supervisor.end_below({pid})


def _end_below_by_psutil(pid: int) -> None:
    import psutil  # noqa: PLC0415 - only here

    try:
        below = psutil.Process(pid).children(recursive=True)
    except psutil.Error:
        return
    for process in below:
        with suppress(psutil.Error):
            process.kill()
