"""Who runs: a process as pid and start time, so that a number used again by another process is not taken for it."""

import os
from pathlib import Path


def start_time(pid: int) -> int | None:
    """Return when a process started, in clock ticks since boot (field 22 of /proc/PID/stat, proc(5)); None if it is gone."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The command's name stands in parentheses and may hold anything; the fields follow the last one.
    fields = text.rpartition(")")[2].split()
    return None if fields[0] == "Z" else int(fields[19])


def owner_id(pid: int | None = None) -> str:
    """Return "PID-START" of this process, or of another one that lives."""
    number = os.getpid() if pid is None else pid
    return f"{number}-{start_time(number) or 0}"


def is_alive(owner: str) -> bool:
    """Say whether the process of an `owner_id` still runs."""
    pid, _, start = owner.partition("-")
    return pid.isdecimal() and start.isdecimal() and start_time(int(pid)) == int(start)
