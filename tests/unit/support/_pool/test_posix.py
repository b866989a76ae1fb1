import gc
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tests.unit.support import pool_jobs as jobs
from tests.unit.support.pool_processes import await_that, below, is_supervisor, supervisor_of
from tvm.error import (
    PoolError,
    TVMError,
    WorkerDiedError,
)
from tvm.support import process
from tvm.support._pool import posix, processes, supervisor
from tvm.support._pool.posix import PosixLauncher
from tvm.support.popen_pool import PopenPoolExecutor, PopenWorker

pytestmark = pytest.mark.usefixtures("no_process_is_left")

# A limit that no test reaches.
_LONG = 60.0


class TestEndOfTheParent:
    @staticmethod
    def _parent(tmp_path: Path, code: str) -> "subprocess.Popen[bytes]":
        text = f"""
import os, sys, time
sys.path[:] = {sys.path!r}
from tests.unit.support import pool_jobs as jobs
from tvm.support.popen_pool import PopenPoolExecutor, PopenWorker
ready = {str(tmp_path / "ready")!r}
{code}
"""
        return subprocess.Popen([sys.executable, "-c", text], env={"TMPDIR": tempfile.gettempdir()})

    def _family(self, parent: "subprocess.Popen[bytes]", ready: Path) -> set[int]:
        await_that(lambda: ready.exists() and len(below(parent.pid)) >= 5)
        return below(parent.pid)

    def test_killed(self, tmp_path: Path) -> None:
        parent = self._parent(
            tmp_path, "worker = PopenWorker()\nworker.send(jobs.start_family, (ready,))\nworker.recv()"
        )
        family = self._family(parent, tmp_path / "ready")
        parent.kill()
        parent.wait()

        await_that(lambda: not any(map(supervisor.is_running, family)))
        await_that(lambda: list(Path(tempfile.gettempdir()).iterdir()) == [])

    def test_killed_while_a_forked_child_of_it_lives(self, tmp_path: Path) -> None:
        code = "worker = PopenWorker()\nworker.send(jobs.start_family, (ready,))\nchild = os.fork()\nif child == 0:\n    time.sleep(60)\nopen(ready + '.child', 'w').write(str(child))\nworker.recv()"
        parent = self._parent(tmp_path, code)
        family = self._family(parent, tmp_path / "ready")
        parent.kill()
        parent.wait()
        child = int((tmp_path / "ready.child").read_text())
        await_that(lambda: not any(supervisor.is_running(pid) for pid in family - {child}))
        os.kill(child, signal.SIGKILL)

    def test_an_exit_does_not_wait_for_a_hung_task(self, tmp_path: Path) -> None:
        code = "pool = PopenPoolExecutor(2)\npool.submit(jobs.start_family, ready)\nwhile not os.path.exists(ready): time.sleep(0.01)"
        parent = self._parent(tmp_path, code)

        assert parent.wait(30) == 0
        assert list(Path(tempfile.gettempdir()).iterdir()) == []

    def test_an_exception_at_the_top(self, tmp_path: Path) -> None:
        code = "pool = PopenPoolExecutor(2)\npool.submit(time.sleep, 60)\npool.submit(abs, 1).result()\nraise SystemExit(3)"

        assert self._parent(tmp_path, code).wait(30) == 3


class TestEndOfTheSupervisor:
    @pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
    def test_tasks_fail_their_families_are_ended_and_the_pool_goes_on(
        self, pool: PopenPoolExecutor, tmp_path: Path, number: int
    ) -> None:
        ready = tmp_path / "ready"
        future = pool.submit(jobs.start_family, str(ready))
        await_that(lambda: ready.exists() and len(below()) >= 5)
        family = below()
        (own,) = filter(is_supervisor, family)
        os.kill(own, number)

        assert isinstance(future.exception(), WorkerDiedError)
        await_that(lambda: not any(map(supervisor.is_running, family)))
        assert not Path(ready.read_text()).exists()
        assert pool.submit(abs, -1).result() == 1

    def test_one_that_does_not_answer_is_done_without(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("tvm.support._pool.member._END_LIMIT", 0.2)
        worker = PopenWorker()
        worker.send(os.getpid)
        own = supervisor_of(worker.recv())
        os.kill(own, signal.SIGSTOP)
        worker.send(time.sleep, (_LONG,), timeout=0.1)

        with pytest.raises(TimeoutError):
            worker.recv()
        os.kill(own, signal.SIGCONT)


def test_a_supervisor_that_cannot_be_started_is_the_error_of_the_task(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object, **_options: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(process, "companion", refuse)
    with PopenPoolExecutor(1) as pool, pytest.raises(PoolError, match=r"supervisor cannot be started: .*unavailable"):
        pool.submit(abs, -1).result()
    assert list(Path(tempfile.gettempdir()).iterdir()) == []


def test_a_worker_that_cannot_be_started_is_the_error_of_the_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "interpreter", lambda: "/nonexistent/python")
    with PopenPoolExecutor(1) as pool, pytest.raises(PoolError, match=r"while it was starting: .*No such file"):
        pool.submit(abs, -1).result()


def test_a_program_that_does_not_know_its_interpreter_is_the_error_of_the_task(monkeypatch: pytest.MonkeyPatch) -> None:
    with PopenPoolExecutor(1) as pool:
        monkeypatch.setattr(sys, "executable", "")
        with pytest.raises(TVMError, match="need a Python interpreter"):
            pool.submit(abs, -1).result()
        assert list(Path(tempfile.gettempdir()).iterdir()) == []


_FORKS_ONCE = """
import os, runpy
fork, made = os.fork, []
def limited():
    if made:
        raise BlockingIOError(11, "Resource temporarily unavailable")
    made.append(True)
    return fork()
os.fork = limited
runpy.run_path({program!r}, run_name="__main__")
"""


def test_without_room_for_one_more_process_those_that_run_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "supervisor.py"
    program.write_text(_FORKS_ONCE.format(program=posix._PROGRAM), encoding="utf-8")
    monkeypatch.setattr(posix, "_PROGRAM", str(program))
    pool = PopenPoolExecutor(2)
    first = pool.submit(jobs.touch_and_sleep, str(tmp_path / "pid"), _LONG)
    await_that((tmp_path / "pid").exists)

    with pytest.raises(WorkerDiedError, match=r"while it was starting: .*temporarily unavailable"):
        pool.submit(abs, -1).result()
    assert not first.done()
    (folder,) = Path(tempfile.gettempdir()).iterdir()
    assert [path.name for path in folder.iterdir()] == ["1.0"]
    pool.kill_workers()
    pool.shutdown()


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
    assert list(Path(tempfile.gettempdir()).iterdir()) == []


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
