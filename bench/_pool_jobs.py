"""What bench/pool.py measures, run by each contender's own interpreter: `python _pool_jobs.py CONTENDER WHAT`, figures as JSON on the last line.

CONTENDER is ours, peer or pebble. The peer is used as a black box, through its public classes, which are ours too.
"""

import ctypes
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concurrent.futures import Future

TASKS = 2000
WORKERS = 2
_FAR = 30.0

Submit = Callable[..., Any]


def _rate(submit: Submit) -> float:
    """Return tasks per second, warm."""
    wait([submit(abs, -number) for number in range(100)])
    begun = time.perf_counter()
    wait([submit(abs, -number) for number in range(TASKS)])
    return TASKS / (time.perf_counter() - begun)


def wait(futures: "list[Future[Any]]") -> None:
    for future in futures:
        future.result()


def rates_of_pebble() -> dict[str, float]:
    import multiprocessing  # noqa: PLC0415 - each contender loads what it needs

    import pebble  # type: ignore[import-not-found,unused-ignore] # noqa: PLC0415 - in its own environment alone

    with pebble.ProcessPool(WORKERS, context=multiprocessing.get_context("spawn")) as pool:
        return {"limit": _rate(lambda function, *args: pool.schedule(function, args=args, timeout=_FAR))}


def rates() -> dict[str, float]:
    from tvm.support.popen_pool import PopenPoolExecutor  # noqa: PLC0415 - as above

    found = {}
    for name, timeout in (("none", None), ("limit", _FAR)):
        pool = PopenPoolExecutor(WORKERS, timeout=timeout)
        found[name] = _rate(pool.submit)
        pool.shutdown()
    return found


def first() -> dict[str, float]:
    """Return the seconds from making a worker to its first answer, and its memory in bytes (its share of what it shares)."""
    from tvm.support.popen_pool import PopenWorker  # noqa: PLC0415 - as above

    begun = time.perf_counter()
    worker = PopenWorker()
    worker.send(os.getpid)
    pid = worker.recv()
    seconds = time.perf_counter() - begun
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    sizes = {name: int(kib) * 1024 for name, kib in re.findall(r"^(Rss|Pss): +(\d+) kB", lines, re.MULTILINE)}
    worker.kill()
    return {"seconds": seconds, "rss": sizes["Rss"], "pss": sizes["Pss"]}


def _hold_gil() -> None:
    ctypes.PyDLL(None).usleep(20_000_000)


def _family() -> None:
    code = "import subprocess, sys, time; subprocess.Popen([sys.executable, '-ISc', 'import os, time; os.setsid(); time.sleep(60)']); time.sleep(60)"
    subprocess.Popen([sys.executable, "-ISc", code])
    time.sleep(60)


def _spawn_for_ever() -> None:
    while True:
        subprocess.Popen([sys.executable, "-ISc", "import time; time.sleep(60)"])


def note_and_sleep(path: str) -> None:
    """Write down the moment of the start, and hang."""
    Path(path).write_text(repr(time.monotonic()), encoding="ascii")
    time.sleep(60)


_CASES: dict[str, tuple[Callable[..., None], tuple[Any, ...], float]] = {
    "sleep": (time.sleep, (60,), 0.3),
    "holds the GIL": (_hold_gil, (), 0.3),
    "child and grandchild": (_family, (), 1.0),
    "10 ms, still spawning": (_spawn_for_ever, (), 0.01),
    "a loop in C": (eval, ("__import__('re').match('(a+)+$', 'a' * 60 + 'b')",), 0.3),
}


def late(count: int = 12) -> dict[str, list[float]]:
    """Return the seconds from a task's deadline to its error, for each kind of task."""
    from tvm.support.popen_pool import PopenWorker  # noqa: PLC0415 - as above

    found: dict[str, list[float]] = {}
    worker = PopenWorker()
    for name, (task, args, timeout) in _CASES.items():
        found[name] = []
        for _ in range(count):
            # Warm: the start of a worker does not count.
            worker.send(abs, (-1,))
            worker.recv()
            begun = time.perf_counter()
            try:
                worker.send(task, args, timeout=timeout)
                worker.recv()
            except TimeoutError:
                found[name].append(time.perf_counter() - begun - timeout)
    worker.kill()
    return found


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["pebble", "rates"]:
            print(json.dumps(rates_of_pebble()))
        case [_, "rates"]:
            print(json.dumps(rates()))
        case [_, "first"]:
            print(json.dumps(first()))
        case [_, "late"]:
            print(json.dumps(late()))
