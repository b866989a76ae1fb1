import gc
import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.unit.support.pool_processes import await_that, below
from tvm.error import PoolError
from tvm.support import process
from tvm.support._pool import processes
from tvm.support._pool.posix import PosixLauncher
from tvm.support.popen_pool import PopenPoolExecutor


def test_a_supervisor_that_cannot_be_started_is_the_error_of_the_task(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object, **_options: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(process, "companion", refuse)
    with PopenPoolExecutor(1) as pool, pytest.raises(PoolError, match=r"supervisor cannot be started: .*unavailable"):
        pool.submit(abs, -1).result()


def test_a_worker_that_cannot_be_started_is_the_error_of_the_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "interpreter", lambda: "/nonexistent/python")
    with PopenPoolExecutor(1) as pool, pytest.raises(PoolError, match=r"while it was starting: .*No such file"):
        pool.submit(abs, -1).result()


def test_a_killed_supervisor_is_replaced() -> None:
    launcher = PosixLauncher()
    launcher.prepare()
    (own,) = below()
    os.kill(own, 9)
    await_that(lambda: below() == set())
    started = launcher.launch(processes.command(stdout=None, stderr=subprocess.DEVNULL, autoload=False))
    await_that(lambda: started.pid)
    started.kill()
    await_that(lambda: started.ended(force=False))
    started.close()
    launcher.close(10)

    assert below() == set()


def test_no_descriptor_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def use() -> None:
        with PopenPoolExecutor(2, timeout=60) as pool:
            assert [pool.submit(abs, -number).result() for number in range(3)] == [0, 1, 2]

    use()
    gc.collect()
    before = sorted(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names are compared
    use()
    gc.collect()

    assert sorted(os.listdir("/proc/self/fd")) == before  # noqa: PTH208 - as above
    assert list(tmp_path.glob("tvm-pool-*")) == []
