import builtins
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

import pytest

from tests.unit.support import pool_jobs as jobs
from tests.unit.support.pool_processes import await_that, below, is_supervisor
from tvm.error import (
    PoolError,
    TaskTimeoutError,
    WorkerDiedError,
)
from tvm.support import process
from tvm.support.popen_pool import MapResult, PopenPoolExecutor, PopenWorker, StatusKind, kill_child_processes

pytestmark = pytest.mark.usefixtures("no_process_is_left")

# A task's limit in tests of limits, and one that no test reaches.
_SHORT, _LONG = 0.3, 60.0
# A limit within which a task comes to do something even on a machine that has much else to do.
_BUSY = 3.0


def _error(call: Callable[[], object]) -> BaseException:
    with pytest.raises(BaseException) as caught:  # noqa: PT011 - the caller looks at it
        call()
    return caught.value


class TestWorker:
    def test_it_starts_with_the_first_task(self, worker: PopenWorker) -> None:
        assert not worker.is_alive()
        assert worker.pid is None

        worker.send(os.getpid)

        assert worker.recv() == worker.pid
        assert worker.is_alive()

    def test_positional_and_named_arguments(self, worker: PopenWorker) -> None:
        worker.send(int, ("11",), {"base": 2})

        assert worker.recv() == 3

    def test_answers_come_in_the_order_of_the_tasks(self, worker: PopenWorker) -> None:
        for number in range(5):
            worker.send(abs, (-number,))

        assert [worker.recv() for _ in range(5)] == [0, 1, 2, 3, 4]

    def test_nothing_to_receive_is_an_error(self, worker: PopenWorker) -> None:
        with pytest.raises(PoolError, match="nothing was sent"):
            worker.recv()

    def test_what_cannot_be_pickled_raises_at_once_and_the_process_is_kept(self, worker: PopenWorker) -> None:
        worker.send(os.getpid)
        before = worker.recv()
        with pytest.raises(TypeError, match="cannot pickle"):
            worker.send(abs, (threading.Lock(),))
        worker.send(os.getpid)

        assert worker.recv() == before

    def test_a_killed_worker_can_be_used_again(self, worker: PopenWorker) -> None:
        worker.send(time.sleep, (_LONG,))
        worker.kill()
        error = _error(worker.recv)
        worker.send(abs, (-1,))

        assert isinstance(error, WorkerDiedError)
        assert worker.recv() == 1

    def test_what_is_sent_after_a_kill_gets_its_own_answer(self, worker: PopenWorker) -> None:
        worker.send(time.sleep, (_LONG,))
        worker.kill()
        worker.send(abs, (-1,))

        assert worker.recv() == 1
        with pytest.raises(PoolError, match="nothing was sent"):
            worker.recv()

    def test_to_kill_what_never_ran_starts_and_ends_nothing(
        self, worker: PopenWorker, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        companion, started = process.companion, list[Sequence[str]]()

        def counted(argv: Sequence[str], **options: Any) -> "process.Companion[bytes]":
            started.append(argv)
            return companion(argv, **options)

        monkeypatch.setattr(process, "companion", counted)
        worker.kill()
        worker.send(abs, (-1,))

        assert worker.recv() == 1
        assert len(started) == 1

    def test_a_task_s_own_cancellation_is_not_a_kill(self, worker: PopenWorker) -> None:
        worker.send(jobs.fail, (CancelledError("mine"),))

        with pytest.raises(CancelledError, match="mine"):
            worker.recv()

    def test_join_returns_when_the_process_has_ended(self, worker: PopenWorker) -> None:
        worker.send(os._exit, (0,))
        worker.join(_LONG)

        assert not worker.is_alive()

    def test_join_gives_up_after_its_limit(self, worker: PopenWorker) -> None:
        worker.send(time.sleep, (_LONG,))
        worker.join(0.05)

        assert worker.is_alive()

    def test_the_initializer_runs_once_in_each_process_and_counts_as_no_use(self) -> None:
        worker = PopenWorker(jobs.initialize, ("value",), maximum_uses=2)
        seen = []
        for _ in range(3):
            worker.send(jobs.initialized)
            seen.append(worker.recv())
            worker.send(os.getpid)
            seen.append(worker.recv())
        worker.kill()

        assert seen[::2] == ["value"] * 3
        assert len(set(seen[1::2])) == 3

    @pytest.mark.parametrize("initializer", [threading.Lock, jobs.LoadsOnlyAtHome])
    def test_what_the_initializer_returns_is_nobody_s(self, initializer: Callable[..., object]) -> None:
        worker = PopenWorker(initializer)
        worker.send(abs, (-1,))

        assert worker.recv() == 1
        worker.kill()

    def test_an_initializer_that_no_buffer_of_the_system_holds(self) -> None:
        text = os.urandom(5 << 20)
        worker = PopenWorker(jobs.initialize, (text,), initializer_timeout=20)
        worker.send(jobs.initialized, timeout=_LONG)

        assert worker.recv() == text
        worker.kill()

    def test_0_uses_are_no_limit(self) -> None:
        worker = PopenWorker(maximum_uses=0)
        pids = set()
        for _ in range(3):
            worker.send(os.getpid)
            pids.add(worker.recv())
        worker.kill()

        assert len(pids) == 1

    def test_a_failed_initializer_is_the_error_of_the_task(self) -> None:
        worker = PopenWorker(jobs.fail, (KeyError("no"),))
        worker.send(abs, (1,))

        assert repr(_error(worker.recv)) == "KeyError('no')"

    def test_an_initializer_has_a_limit_of_its_own(self) -> None:
        worker = PopenWorker(time.sleep, (_LONG,), initializer_timeout=_SHORT)
        worker.send(abs, (1,))

        with pytest.raises(TaskTimeoutError, match="the initializer ran longer"):
            worker.recv()

    def test_the_start_has_a_limit_of_its_own(self) -> None:
        worker = PopenWorker(start_timeout=0.0)
        worker.send(abs, (1,))

        with pytest.raises(TaskTimeoutError, match="did not start within 0 s"):
            worker.recv()

    def test_a_process_that_has_grown_is_replaced(self) -> None:
        worker = PopenWorker(maximum_memory=100 << 20)
        pids = []
        for size in (200 << 20, 1, 1):
            worker.send(jobs.grow, (size,))
            pids.append(worker.recv())
        worker.kill()

        assert pids[0] != pids[1] == pids[2]

    def test_output_goes_where_it_is_told(self, tmp_path: Path) -> None:
        out, errors = tmp_path / "out", tmp_path / "errors"
        with out.open("wb") as stdout, errors.open("wb") as stderr:
            worker = PopenWorker(stdout=stdout, stderr=stderr)
            worker.send(os.system, ("exec 2>&-; echo out; exec 2>&1",))
            worker.recv()
            worker.send(print, ("printed",))
            worker.recv()
            worker.send(os.write, (2, b"error"))
            worker.recv()
            worker.kill()

        assert out.read_text() == "out\nprinted\n"
        assert errors.read_text() == "error"

    def test_output_to_a_pipe_that_nobody_reads_is_refused(self) -> None:
        worker = PopenWorker(stdout=subprocess.PIPE)
        worker.send(abs, (1,))

        with pytest.raises(ValueError, match="a worker's output can be"):
            worker.recv()


class TestArguments:
    @pytest.mark.parametrize("kind", [PopenWorker, PopenPoolExecutor])
    def test_an_initializer_must_be_callable(self, kind: type[PopenWorker] | type[PopenPoolExecutor]) -> None:
        with pytest.raises(TypeError, match=f"^initializer must be callable for {kind.__name__}$"):
            kind(initializer="x")  # type: ignore[arg-type] # that is what is tried

    @pytest.mark.parametrize("workers", [0, -1, True, 1.5, "2"])
    def test_max_workers(self, workers: object) -> None:
        with pytest.raises(ValueError, match="max_workers must be a whole number from 1 on"):
            PopenPoolExecutor(workers)  # type: ignore[arg-type] # that is what is tried

    @pytest.mark.parametrize(("timeout", "kind"), [("1", TypeError), (True, TypeError), (float("nan"), ValueError)])
    def test_timeout(self, timeout: object, kind: type[Exception]) -> None:
        with pytest.raises(kind, match="timeout must be a number of seconds or None"):
            PopenPoolExecutor(1, timeout)  # type: ignore[arg-type] # that is what is tried

    @pytest.mark.parametrize("uses", [-1, 1.5, True])
    def test_maximum_uses(self, uses: object) -> None:
        with pytest.raises(ValueError, match="maximum_uses must be a whole number"):
            PopenWorker(maximum_uses=uses)  # type: ignore[arg-type] # that is what is tried

    def test_an_infinite_limit_is_none(self, worker: PopenWorker) -> None:
        worker.send(abs, (-1,), timeout=float("inf"))

        assert worker.recv() == 1


class TestTimeLimit:
    @pytest.mark.parametrize(
        ("task", "args"),
        [(jobs.hold_gil, (_LONG,)), (jobs.loop_in_c, ()), (jobs.block_signals, ()), (time.sleep, (_LONG,))],
    )
    def test_it_ends_what_does_not_end(
        self, worker: PopenWorker, task: Callable[..., object], args: tuple[object, ...]
    ) -> None:
        worker.send(task, args, timeout=_SHORT)
        begun = time.monotonic()

        with pytest.raises(TaskTimeoutError, match=r"ran longer than its limit of 0\.3 s"):
            worker.recv()
        # Not the bound of 0.1 s, which the benchmark measures: other tests may run.
        assert time.monotonic() - begun < 10
        assert not worker.is_alive()

    @pytest.mark.parametrize("timeout", [0, -1])
    def test_no_time_at_all(self, worker: PopenWorker, timeout: float) -> None:
        worker.send(time.sleep, (_LONG,), timeout=timeout)

        with pytest.raises(TimeoutError):
            worker.recv()

    def test_a_task_within_its_limit_is_not_touched(self, worker: PopenWorker) -> None:
        pids = []
        for _ in range(3):
            worker.send(os.getpid, timeout=_LONG)
            pids.append(worker.recv())

        assert len(set(pids)) == 1

    def test_it_is_kept_when_nobody_receives(self, worker: PopenWorker, tmp_path: Path) -> None:
        worker.send(jobs.touch_and_sleep, (str(tmp_path / "pid"), _LONG), timeout=_BUSY)
        await_that(lambda: not worker.is_alive() and (tmp_path / "pid").exists())

        with pytest.raises(TimeoutError):
            worker.recv()

    def test_to_load_the_task_does_not_count(self, worker: PopenWorker) -> None:
        worker.send(jobs.identity, (_LoadedIn(1.0),), timeout=0.5)

        assert worker.recv() == "loaded"

    def test_the_whole_family_is_gone_and_so_are_its_files(self, worker: PopenWorker, tmp_path: Path) -> None:
        ready = tmp_path / "ready"
        worker.send(jobs.start_family, (str(ready),), timeout=_BUSY)

        with pytest.raises(TimeoutError):
            worker.recv()
        assert {pid for pid in below() if not is_supervisor(pid)} == set()
        assert not Path(ready.read_text()).exists()

    def test_files_of_earlier_tasks_stay(self, worker: PopenWorker) -> None:
        worker.send(jobs.temp_file)
        kept = Path(worker.recv())
        worker.send(time.sleep, (_LONG,), timeout=0.1)

        with pytest.raises(TimeoutError):
            worker.recv()
        assert kept.is_file()

    def test_what_forks_for_ever_is_ended_too(self, worker: PopenWorker) -> None:
        worker.send(jobs.fork_for_ever, timeout=_SHORT)

        with pytest.raises(TimeoutError):
            worker.recv()
        assert _workers() == set()

    def test_the_next_task_gets_another_process(self, worker: PopenWorker) -> None:
        worker.send(time.sleep, (_LONG,), timeout=0.05)
        _error(worker.recv)
        worker.send(abs, (-1,), timeout=_LONG)

        assert worker.recv() == 1


class _LoadedIn:
    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __reduce__(self) -> tuple[object, ...]:
        return eval, (f"(__import__('time').sleep({self.seconds}), 'loaded')[1]",)


class TestSurroundings:
    def test_stdin_is_closed_and_control_c_does_not_reach_it(self, worker: PopenWorker) -> None:
        worker.send(jobs.environment)
        seen = worker.recv()

        assert (seen["stdin"], seen["session"]) == ("", True)

    def test_it_searches_what_this_process_searches_but_no_current_directory(
        self, worker: PopenWorker, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        for name in ("pickle", "cloudpickle", "struct", "traceback"):
            (tmp_path / f"{name}.py").write_text("raise SystemExit(1)", encoding="ascii")
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "path", ["", ".", *sys.path, str(tmp_path / "last")])
        worker.send(jobs.environment)
        seen = worker.recv()

        assert seen["cwd"] == str(tmp_path)
        assert seen["path"][-1] == str(tmp_path / "last")
        assert all(Path(entry).is_absolute() and Path(entry) != tmp_path for entry in seen["path"])

    def test_a_module_that_only_this_process_put_on_its_path(
        self, worker: PopenWorker, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        (tmp_path / "only_here.py").write_text("def answer():\n    return 42\n", encoding="ascii")
        monkeypatch.syspath_prepend(str(tmp_path))
        worker.send(__import__("only_here").answer)

        assert worker.recv() == 42

    def test_it_imports_no_more_than_the_task(self, worker: PopenWorker) -> None:
        worker.send(eval, ("sorted(__import__('sys').modules)",))
        loaded = worker.recv()

        assert {"cloudpickle", "numpy", "subprocess", "socket", "traceback", "tempfile"}.isdisjoint(loaded)
        assert [name for name in loaded if name.split(".")[0] == "tvm"] == []

    def test_lambdas_and_functions_of_main(self, worker: PopenWorker) -> None:
        worker.send(lambda value: value + len(builtins.__name__), (1,))

        assert worker.recv() == 9

    @pytest.mark.parametrize(("asked", "value"), [(False, "0"), (True, None)])
    def test_back_ends_are_loaded_only_if_asked(self, asked: bool, value: str | None) -> None:  # noqa: FBT001 - a table
        worker = PopenWorker(autoload=asked)
        worker.send(jobs.environment)

        assert worker.recv()["autoload"] == value
        worker.kill()

    def test_the_environment_is_that_of_the_moment(self, worker: PopenWorker, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("POOL_TEST", "set")
        worker.send(jobs.environment)

        assert worker.recv()["variable"] == "set"

    def test_a_current_directory_that_is_gone(
        self, worker: PopenWorker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        gone = tmp_path / "gone"
        gone.mkdir()
        monkeypatch.chdir(gone)
        gone.rmdir()
        worker.send(abs, (-1,))

        assert worker.recv() == 1

    @pytest.mark.parametrize("folder", ["read-only", "missing\nline"])
    def test_a_temporary_folder_that_is_none(
        self, worker: PopenWorker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
    ) -> None:
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / folder))
        worker.send(abs, (-1,))

        assert worker.recv() == 1

    def test_environment_variables_may_be_nonsense(self, worker: PopenWorker, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in (
            "TMPDIR",
            "PYTHONPATH",
            "PYTHONSTARTUP",
            "PYTHONWARNINGS",
            "TVM_POOL_TEMP",
            "TVM_DEVICE_BACKEND_AUTOLOAD",
        ):
            monkeypatch.setenv(name, "non\nsense:\udcff=")
        monkeypatch.setenv("PYTHONINSPECT", "1")
        worker.send(abs, (-1,))

        assert worker.recv() == 1

    def test_messages_that_no_buffer_of_the_system_holds(self, worker: PopenWorker) -> None:
        text = os.urandom(5 << 20)
        worker.send(jobs.identity, (text,), timeout=_LONG)

        assert worker.recv() == text


class TestMap:
    def test_each_item_with_what_became_of_it(self) -> None:
        with PopenPoolExecutor(2, timeout=1.0) as pool:
            results = list(pool.map_with_error_catching(_by_number, range(4)))

        assert [result.status for result in results] == [1, 1, StatusKind.TIMEOUT, StatusKind.EXCEPTION]
        assert results[0] == MapResult(StatusKind.COMPLETE, 0)
        assert isinstance(results[2].value, TimeoutError)
        assert repr(results[3].value) == "ValueError(3)"

    def test_it_is_lazy(self) -> None:
        taken: list[int] = []
        with PopenPoolExecutor(2) as pool:
            results = pool.map_with_error_catching(abs, _noting(taken))
            assert taken == []
            first = next(results)
            assert (first.value, len(taken)) == (0, 4)
            results.close()  # type: ignore[attr-defined] # it is a generator

    def test_an_error_of_the_items_comes_after_what_came_before(self) -> None:
        with PopenPoolExecutor(2) as pool:
            results = pool.map_with_error_catching(abs, (1 // (2 - number) for number in range(5)))

            assert [next(results).value for _ in range(2)] == [0, 1]
            with pytest.raises(ZeroDivisionError):
                next(results)


def _by_number(number: int) -> int:
    if number == 2:
        time.sleep(_LONG)
    if number == 3:
        raise ValueError(number)
    return number


def _noting(taken: list[int]) -> Iterator[int]:
    for number in range(1000):
        taken.append(number)
        yield number


class TestKillChildProcesses:
    def test_all_that_a_process_has_started_is_ended_but_not_itself(self, worker: PopenWorker, tmp_path: Path) -> None:
        worker.send(jobs.start_family, (str(tmp_path / "ready"), 2.0))
        await_that((tmp_path / "ready").exists)
        pid = worker.pid
        assert pid is not None
        kill_child_processes(pid)

        assert below(pid) == set()
        assert worker.is_alive()

    def test_no_such_process_is_no_error(self) -> None:
        child = subprocess.Popen([sys.executable, "-ISc", ""])
        child.wait()

        kill_child_processes(child.pid)


def _workers() -> set[int]:
    return {pid for pid in below() if not is_supervisor(pid)}
