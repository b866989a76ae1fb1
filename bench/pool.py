"""The process pool against the peer's and pebble's, each in an environment of its own: medians of rounds in turn, and ratios.

`python bench/pool.py [--rounds N] [--dask]`. The environments are made once, in the user's cache folder (the peer takes 300 MB). With `--dask`
the pool on a dask scheduler is measured instead, against the scheduler's own client.
"""

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import platformdirs
from _pool_jobs import TASKS, WORKERS, note_and_sleep, wait

from tvm.error import TVMError
from tvm.support import executor, process
from tvm.support.utils import tempdir

ROOT = Path(__file__).resolve().parents[1]
JOBS = Path(__file__).with_name("_pool_jobs.py")
CONTENDERS = {"peer": ("apache-tvm[popen-pool]==0.27.*",), "pebble": ("pebble==5.2.*",)}
_INSTALL_LIMIT, _RUN_LIMIT = 1800.0, 300.0
# Seconds from a deadline to its error, at the 95th percentile.
LATE = 0.1
# The limit of the tasks over dask that are ended, in seconds.
_LIMIT = 0.5


def main() -> int:
    """Print every ratio; 1 if a bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--dask", action="store_true")
    given = parser.parse_args()
    kept = _dask(given.rounds) if given.dask else [*_speed(given.rounds), *_starts(given.rounds), *_deadlines()]
    return 0 if all(kept) else 1


def _speed(rounds: int) -> list[bool]:
    found = _in_turn("rates", ("ours", "peer", "pebble"), rounds)
    ours, limited = _median(found["ours"], "none"), _median(found["ours"], "limit")
    return [
        _at_least("tasks/s without a limit", ours, 2.0, "the peer", _median(found["peer"], "none")),
        _at_least("tasks/s with a limit", limited, 1.0, "pebble", _median(found["pebble"], "limit")),
        _at_least("tasks/s with a limit", limited, 2.0, "the peer", _median(found["peer"], "limit")),
    ]


def _starts(rounds: int) -> list[bool]:
    found = _in_turn("first", ("ours", "peer"), rounds)

    def compare(what: str, name: str, ratio: float, unit: float) -> bool:
        return _at_most(
            what, _median(found["ours"], name) / unit, ratio, "the peer", _median(found["peer"], name) / unit
        )

    return [
        compare("first task of a cold worker, s", "seconds", 0.25, 1.0),
        compare("memory of a worker (RSS), MB", "rss", 0.2, 1e6),
        compare("memory of a worker (PSS), MB", "pss", 0.2, 1e6),
    ]


def _deadlines() -> list[bool]:
    return [_in_time(name, seconds) for name, seconds in _measure("ours", "late").items()]


def _in_time(name: str, seconds: list[float]) -> bool:
    at95 = statistics.quantiles(seconds, n=20)[-1]
    kept = at95 <= LATE
    print(
        f"error after the deadline, {name}: median {statistics.median(seconds) * 1000:.0f} ms, p95 {at95 * 1000:.0f} ms of {len(seconds)}, "
        f"limit {LATE * 1000:.0f} ms: {_verdict(kept)}"
    )
    return kept


def _dask(rounds: int) -> list[bool]:
    from distributed import Client, LocalCluster  # noqa: PLC0415 - an extra

    with LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=None) as cluster:  # type: ignore[no-untyped-call] # theirs
        address = str(cluster.scheduler_address).removeprefix("tcp://")
        with executor(f"dask://{address}", timeout=60.0) as pool, Client(cluster) as client:  # type: ignore[no-untyped-call] # theirs
            own = statistics.median(_rate(lambda number: pool.submit(abs, -number)) for _ in range(rounds))
            bare = statistics.median(
                _rate(lambda number: client.submit(abs, -number, pure=False)) for _ in range(rounds)
            )
        with tempdir() as folder:
            late = _late(address, str(folder / "started"))
    return [
        _at_least("tasks/s over dask, with a limit", own, 0.5, "its own client without", bare),
        _in_time("over dask", late),
    ]


def _rate(submit: Callable[[int], Any]) -> float:
    count = TASKS // 10
    wait([submit(number) for number in range(10)])
    begun = time.perf_counter()
    wait([submit(number) for number in range(count)])
    return count / (time.perf_counter() - begun)


def _late(address: str, started: str) -> list[float]:
    found = []
    with executor(f"dask://{address}", timeout=_LIMIT) as pool:
        for _ in range(20):
            pool.submit(abs, -1).result()
            error = pool.submit(note_and_sleep, started).exception()
            ended = time.monotonic()
            if not isinstance(error, TimeoutError):
                msg = f"a task over dask was not ended at its limit: {error!r}"
                raise TVMError(msg)
            # From its start on the other side, whose monotonic clock is this one.
            found.append(ended - float(Path(started).read_text(encoding="ascii")) - _LIMIT)
    return found


def _in_turn(what: str, names: tuple[str, ...], rounds: int) -> dict[str, list[dict[str, float]]]:
    found: dict[str, list[dict[str, float]]] = {name: [] for name in names}
    for _ in range(rounds):
        for name in names:
            found[name].append(_measure(name, what))
    return found


def _measure(contender: str, what: str) -> dict[str, Any]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if contender == "ours":
        python = Path(sys.executable)
        environment["PYTHONPATH"] = str(ROOT)
    else:
        python = _interpreter(contender)
    # The peer's worker searches the current directory first: it must not find this tree there.
    done = process.run(
        [python, JOBS, contender, what], cwd="/", env=environment, timeout=_RUN_LIMIT, heading=f"{contender} failed"
    )
    return dict(json.loads(done.output.splitlines()[-1]))


def _interpreter(contender: str) -> Path:
    """Return the interpreter of a contender's environment, which is made first if it is not there."""
    folder = platformdirs.user_cache_path("tvm-matrix") / "bench" / contender
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        process.run([sys.executable, "-m", "venv", "--clear", folder], timeout=_INSTALL_LIMIT, heading="venv failed")
        command: list[process.Arg] = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        process.run([*command, *CONTENDERS[contender]], timeout=_INSTALL_LIMIT, heading="pip failed")
        (folder / "ready").touch()
    return python


def _median(found: list[dict[str, float]], name: str) -> float:
    return statistics.median(one[name] for one in found)


def _at_least(what: str, value: float, ratio: float, against: str, base: float) -> bool:
    kept = value >= ratio * base
    print(f"{what}: {value:.0f}, {value / base:.2f} x {against} ({base:.0f}), at least {ratio:g} x: {_verdict(kept)}")
    return kept


def _at_most(what: str, value: float, ratio: float, against: str, base: float) -> bool:
    kept = value <= ratio * base
    print(f"{what}: {value:.3f}, {value / base:.3f} x {against} ({base:.3f}), at most {ratio:g} x: {_verdict(kept)}")
    return kept


def _verdict(kept: bool) -> str:  # noqa: FBT001 - one word for it
    return "ok" if kept else "MISSED"


if __name__ == "__main__":
    try:
        sys.exit(main())
    except TVMError as error:
        sys.exit(f"bench: error: {error}")
