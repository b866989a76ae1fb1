"""The process pool under kills at random points, jumping clocks, a full disk, huge messages, and over a real dask scheduler."""

import importlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import clock
from tests.unit.support import pool_jobs as jobs
from tests.unit.support.pool_processes import await_that, below, is_supervisor
from tvm.error import (
    PoolError,
    RemoteTaskError,
    ResultError,
    TaskExitError,
    TaskTimeoutError,
    WorkerDiedError,
)
from tvm.support import executor
from tvm.support._pool import supervisor
from tvm.support.popen_pool import PopenPoolExecutor, PopenWorker, StatusKind

ROOT = Path(__file__).parents[2]
SOAK = Path(__file__).with_name("pool_soak.py")
# How many processes the soak kills in all, and how many of each of its programs.
_KILLS, _KILLS_OF_EACH = 300, 5
_SEED = 20261130


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return the folder for temporary files, and see to it that no process is left."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    before = below()
    yield folder
    await_that(lambda: below() <= before)


@pytest.mark.usefixtures("temporary")
class TestSoak:
    def test_nothing_is_left_wherever_the_kill_strikes(self, tmp_path: Path, temporary: Path) -> None:
        begun = time.monotonic()
        chance = random.Random(_SEED)  # noqa: S311 - a soak must be repeatable
        struck = {"parent": 0, "worker": 0, "tool": 0}
        while sum(struck.values()) < _KILLS:
            # Two at a time, as there are two processors.
            programs = [_Program(tmp_path / f"ready-{number}", chance) for number in range(2)]
            for _ in range(_KILLS_OF_EACH - 1):
                for program in programs:
                    time.sleep(chance.uniform(0.0, 0.1))
                    struck[program.strike(chance)] += 1
            for program in programs:
                time.sleep(chance.uniform(0.0, 0.1))
                program.end()
                struck["parent"] += 1
        await_that(lambda: list(temporary.iterdir()) == [])
        print(f"soak: {sum(struck.values())} kills ({struck}) in {time.monotonic() - begun:.0f} s, nothing left")

        assert struck["parent"] == _KILLS // _KILLS_OF_EACH
        assert min(struck.values()) > _KILLS // 10


class _Program:
    """One run of pool_soak.py."""

    def __init__(self, ready: Path, chance: random.Random) -> None:
        ready.unlink(missing_ok=True)
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        self._process = subprocess.Popen([sys.executable, SOAK, ready, str(chance.random())], env=environment)
        await_that(ready.exists)

    def strike(self, chance: random.Random) -> str:
        """Kill one of its workers, or a process that a worker has started; tell which."""
        while True:
            assert self._process.poll() is None, "the program has ended by itself"
            family = sorted(pid for pid in below(self._process.pid) if not is_supervisor_or_gone(pid))
            workers = [pid for pid in family if _is_worker(pid)]
            kind = chance.choice(["worker", "tool"])
            targets = workers if kind == "worker" else [pid for pid in family if pid not in workers]
            if targets and _kill(chance.choice(targets)):
                return kind
            time.sleep(0.002)

    def end(self) -> None:
        """Kill the program itself, and see to it that all is gone."""
        family = below(self._process.pid)
        self._process.kill()
        self._process.wait()
        await_that(lambda: not any(map(supervisor.is_running, family)))


def is_supervisor_or_gone(pid: int) -> bool:
    try:
        return is_supervisor(pid)
    except OSError:
        return True


def _is_worker(pid: int) -> bool:
    try:
        return b"popen_worker.py" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def _kill(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.usefixtures("temporary")
class TestClock:
    @pytest.mark.parametrize("offset", ["+3600", "-3600"])
    def test_a_jump_of_the_wall_clock_changes_no_limit(self, tmp_path: Path, offset: str) -> None:
        wrong = clock.right(tmp_path / "clock")
        code = f"""
import sys, time
sys.path[:] = {sys.path!r}
from tvm.support.popen_pool import PopenWorker
worker = PopenWorker()
worker.send(abs, (-1,), timeout=30)
assert worker.recv() == 1
before = time.time()
open({str(wrong.file)!r}, "w").write({offset!r})
assert abs(time.time() - before) > 3000
begun = time.monotonic()
worker.send(abs, (-2,), timeout=30)
assert worker.recv() == 2
worker.send(time.sleep, (60,), timeout=0.5)
try:
    worker.recv()
except TimeoutError:
    assert 0.4 < time.monotonic() - begun < 10
    print("kept")
"""
        environment = wrong.environment
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, check=True, timeout=120
        )

        assert done.stdout == b"kept\n"


@pytest.mark.usefixtures("temporary")
class TestDisk:
    def test_a_full_one_is_no_matter(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        small = tmp_path / "small"
        small.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k,nr_inodes=8", "tmpfs", small], check=True)
        try:
            with pytest.raises(OSError, match="No space left"):
                (small / "all").write_bytes(bytes(1 << 20))
            assert any(_makes_no(small / str(number)) for number in range(20))
            monkeypatch.setattr(tempfile, "tempdir", str(small))
            worker = PopenWorker()
            worker.send(abs, (-1,))
            assert worker.recv() == 1
            worker.send(time.sleep, (60,), timeout=0.1)
            with pytest.raises(TimeoutError):
                worker.recv()
            worker.kill()
        finally:
            subprocess.run(["umount", small], check=True)


def _makes_no(folder: Path) -> bool:
    try:
        folder.mkdir()
    except OSError:
        return True
    return False


@pytest.mark.usefixtures("temporary")
class TestSize:
    def test_messages_of_more_than_2_gib_both_ways(self) -> None:
        size = (2 << 30) + 7
        worker = PopenWorker()
        worker.send(_ends, (bytes(size),))
        assert worker.recv() == (size, b"\0")
        worker.send(bytes, (size,))
        assert len(worker.recv()) == size
        worker.kill()


def _ends(data: bytes) -> tuple[int, bytes]:
    return len(data), data[-1:]


@pytest.mark.usefixtures("temporary")
class TestMany:
    def test_64_workers_at_once(self, tmp_path: Path) -> None:
        together = tmp_path / "together"
        together.mkdir()
        with PopenPoolExecutor(64, timeout=60) as pool:
            futures = [pool.submit(jobs.pid_once_there_are, 64, str(together)) for _ in range(64)]
            assert len({future.result() for future in futures}) == 64
            hung = [pool.submit(time.sleep, 60) for _ in range(64)]
            pool.kill_workers()

        assert all(isinstance(future.exception(), WorkerDiedError) for future in hung if not future.cancelled())


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Return a real scheduler with two worker processes on 127.0.0.1."""
    distributed: Any = importlib.import_module("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as made:
        yield made


@pytest.fixture
def over_dask(cluster: Any) -> Callable[..., Executor]:
    address = cluster.scheduler_address.removeprefix("tcp://")
    return lambda **options: executor(f"dask://{address}", **options)


class TestDask:
    def test_it_is_an_executor(self, over_dask: Callable[..., Executor]) -> None:
        with over_dask() as pool:
            assert [pool.submit(abs, -number).result() for number in range(5)] == [0, 1, 2, 3, 4]
            assert list(pool.map(pow, [2, 3], [5, 2])) == [32, 9]
            assert pool.submit(lambda value: value + 1, 1).result() == 2

    @pytest.mark.parametrize(
        ("task", "args", "kind"),
        [
            (jobs.fail, (KeyError("k"),), KeyError),
            (jobs.fail_with_two, (), jobs.TwoArgumentsError),
            (jobs.fail_unpicklably, (), RemoteTaskError),
            (jobs.lock, (), ResultError),
            (sys.exit, (3,), TaskExitError),
            (os._exit, (7,), WorkerDiedError),
            (jobs.kill_itself, (signal.SIGKILL,), WorkerDiedError),
        ],
    )
    def test_errors_are_those_of_the_local_pool(
        self,
        over_dask: Callable[..., Executor],
        task: Callable[..., object],
        args: tuple[object, ...],
        kind: type[Exception],
    ) -> None:
        with over_dask() as far, executor("local", max_workers=1) as near:
            errors = [pool.submit(task, *args).exception() for pool in (far, near)]

        assert [type(error) for error in errors] == [kind, kind]
        assert str(errors[0]) == str(errors[1])

    def test_a_time_limit_ends_the_whole_family(self, over_dask: Callable[..., Executor], tmp_path: Path) -> None:
        with over_dask(timeout=1.5) as pool:
            future = pool.submit(jobs.start_family, str(tmp_path / "ready"))

            assert isinstance(future.exception(), TaskTimeoutError)
            assert not [pid for pid in below() if b"time.sleep(60)" in Path(f"/proc/{pid}/cmdline").read_bytes()]
            assert pool.submit(abs, -1).result() == 1

    def test_map_with_error_catching(self, over_dask: Callable[..., Executor]) -> None:
        with over_dask(timeout=1.0) as pool:
            results = list(pool.map_with_error_catching(_by_number, range(3)))  # type: ignore[attr-defined] # both have it

        assert [result.status for result in results] == [StatusKind.COMPLETE, StatusKind.TIMEOUT, StatusKind.EXCEPTION]

    def test_after_shutdown_there_are_no_more_tasks(self, over_dask: Callable[..., Executor]) -> None:
        pool = over_dask()
        pool.shutdown()

        with pytest.raises(RuntimeError, match="cannot schedule new futures after shutdown"):
            pool.submit(abs, 1)

    def test_a_dask_worker_that_is_killed(self, cluster: Any, over_dask: Callable[..., Executor]) -> None:
        with over_dask(timeout=30) as pool:
            assert pool.submit(abs, -1).result() == 1
            os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)

            assert [pool.submit(abs, -number).result(60) for number in range(8)] == list(range(8))

    def test_no_scheduler_there(self) -> None:
        with pytest.raises(PoolError, match=r"no dask scheduler answers at 127\.0\.0\.1:9"):
            executor("dask://127.0.0.1:9")


def _by_number(number: int) -> int:
    if number == 1:
        time.sleep(60)
    if number == 2:
        raise ValueError(number)
    return number
