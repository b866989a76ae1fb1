"""What a driver answers, for a process of its own."""

import os

from tvm.support.devices import Found


def own_process() -> int:
    """Return this process's number."""
    return os.getpid()


def two() -> Found:
    """Return two devices that say which process was asked."""
    return Found(devices=tuple({"name": name, "process": os.getpid()} for name in ("first", "second")), asked=__file__)


def none() -> Found:
    """Return none, and why."""
    return Found(why="the driver is not installed")


def crash() -> Found:
    """End the process, as a driver may."""
    os._exit(139)
