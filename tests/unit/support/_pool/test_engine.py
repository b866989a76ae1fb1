import gc
import os
import signal
import threading
import time
from concurrent.futures import Future, as_completed, wait
from pathlib import Path

import pytest

from tests.unit.support import pool_jobs as jobs
from tests.unit.support.pool_processes import await_that, below
from tvm.error import (
    PoolError,
    WorkerDiedError,
)
from tvm.support._pool.engine import Engine
from tvm.support._pool.member import Member, State
from tvm.support.popen_pool import PopenPoolExecutor, PopenWorker

pytestmark = pytest.mark.usefixtures("no_process_is_left")

# A limit that no test reaches.
_LONG = 60.0


class TestPool:
    def test_it_is_an_executor(self, pool: PopenPoolExecutor) -> None:
        futures = [pool.submit(abs, -number) for number in range(8)]

        assert sorted(future.result() for future in as_completed(futures)) == list(range(8))
        assert list(pool.map(pow, [2, 3], [5, 2])) == [32, 9]

    def test_thousands_of_quick_tasks(self, pool: PopenPoolExecutor) -> None:
        futures = [pool.submit(abs, -number) for number in range(3000)]

        assert [future.result() for future in futures] == list(range(3000))

    def test_no_quick_task_waits_behind_a_long_one(self, pool: PopenPoolExecutor, tmp_path: Path) -> None:
        for _ in range(2):
            quick = [pool.submit(abs, -number) for number in range(300)]
            long = pool.submit(jobs.touch_and_sleep, str(tmp_path / "x"), 1.0)
            quick += [pool.submit(abs, -number) for number in range(300)]
            wait(quick)

            assert not long.done()
            assert [future.result() for future in quick] == [*range(300), *range(300)]
            long.result()

    def test_each_task_runs_once_although_workers_die(self, tmp_path: Path) -> None:
        log = tmp_path / "log"
        with PopenPoolExecutor(2, timeout=_LONG) as pool:
            futures: list[Future[object]] = []
            for number in range(200):
                futures.append(pool.submit(_append, str(log), number))
                if number % 50 == 20:
                    futures.append(pool.submit(os._exit, 3))
            wait(futures)
        done = [future.result() for future in futures if future.exception() is None]

        assert sorted(map(int, log.read_text().split())) == sorted(done)  # type: ignore[type-var] # they are numbers
        assert sum(isinstance(future.exception(), WorkerDiedError) for future in futures) >= 4
        assert len(done) >= 196

    def test_a_queued_task_can_be_cancelled(self, tmp_path: Path) -> None:
        with PopenPoolExecutor(1) as pool:
            first = pool.submit(jobs.touch_and_sleep, str(tmp_path / "pid"), 0.3)
            await_that((tmp_path / "pid").exists)
            second = pool.submit(abs, 1)

            assert second.cancel()
            assert not first.cancel()
            assert first.result() == str(tmp_path / "pid")

    def test_a_callback_may_wait_for_another_task(self, pool: PopenPoolExecutor) -> None:
        got: list[object] = []
        first = pool.submit(jobs.identity, [1])
        first.add_done_callback(lambda _: got.append(pool.submit(jobs.identity, [2]).result()))
        await_that(lambda: got)

        assert got == [[2]]

    def test_a_task_that_comes_in_the_moment_before_the_thread_sleeps_gets_a_worker(
        self, pool: PopenPoolExecutor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        pool.submit(jobs.touch_and_sleep, str(tmp_path / "pid"), _LONG)
        await_that((tmp_path / "pid").exists)
        assign, late = Engine._assign, list[Future[int]]()

        def then_submit(engine: Engine) -> None:
            assign(engine)
            if not late:
                late.append(pool.submit(abs, -1))

        monkeypatch.setattr(Engine, "_assign", then_submit)
        pool._engine.wake()
        await_that(lambda: late)

        assert late[0].result(20) == 1

    def test_without_room_for_a_thread_the_next_task_tries_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(_: threading.Thread) -> None:
            msg = "can't start new thread"
            raise RuntimeError(msg)

        with PopenPoolExecutor(1) as pool:
            with monkeypatch.context() as patch:
                patch.setattr(threading.Thread, "start", refuse)
                with pytest.raises(RuntimeError, match="can't start new thread"):
                    pool.submit(abs, -1)
            assert below() == set()
            assert pool.submit(abs, -2).result(20) == 2

    def test_a_callback_that_fails_harms_nobody(self, pool: PopenPoolExecutor) -> None:
        pool.submit(time.sleep, 0.1).add_done_callback(lambda _: jobs.fail(ValueError("callback")))

        assert pool.submit(abs, -1).result() == 1

    def test_what_cannot_be_pickled_is_the_error_of_its_future(self, pool: PopenPoolExecutor) -> None:
        assert isinstance(pool.submit(abs, threading.Lock()).exception(), TypeError)

    def test_processes_are_replaced_after_their_uses(self) -> None:
        with PopenPoolExecutor(1, maximum_process_uses=3) as pool:
            pids = [future.result() for future in [pool.submit(os.getpid) for _ in range(9)]]

        assert [pids.count(pid) for pid in dict.fromkeys(pids)] == [3, 3, 3]

    def test_a_forked_child_is_told_that_the_pool_is_not_its_own(self, pool: PopenPoolExecutor) -> None:
        pool.submit(abs, -1).result()
        child = os.fork()
        if child == 0:
            try:
                pool.submit(abs, -1)
            except PoolError:
                os._exit(17)
            os._exit(0)
        _, status = os.waitpid(child, 0)

        assert os.waitstatus_to_exitcode(status) == 17
        assert pool.submit(abs, -1).result() == 1


def _append(path: str, number: int) -> int:
    # One write of a few bytes: whole or not at all.
    with open(path, "a", encoding="ascii") as file:  # noqa: PTH123 - goes by value to the worker
        file.write(f"{number}\n")
    return number


class TestShutdown:
    def test_it_waits_for_all_by_default(self) -> None:
        pool = PopenPoolExecutor(1)
        futures = [pool.submit(time.sleep, 0.05) for _ in range(4)]
        pool.shutdown()

        assert all(future.done() and not future.cancelled() for future in futures)
        assert below() == set()

    def test_it_waits_for_what_is_still_loaded_and_for_its_callbacks(self) -> None:
        called: list[Future[object]] = []
        pool = PopenPoolExecutor(1)
        future: Future[object] = pool.submit(jobs.LoadsIn, 0.5)
        future.add_done_callback(called.append)
        pool.shutdown()

        assert future.done()
        assert called == [future]

    def test_a_callback_of_a_dropped_task_may_use_the_pool(self, tmp_path: Path) -> None:
        refused: list[bool] = []

        def again(_: Future[int]) -> None:
            try:
                pool.submit(abs, 2)
            except RuntimeError:
                refused.append(True)

        pool = PopenPoolExecutor(1)
        pool.submit(jobs.touch_and_sleep, str(tmp_path / "pid"), 0.1)
        await_that((tmp_path / "pid").exists)
        pool.submit(abs, 1).add_done_callback(again)
        thread = threading.Thread(target=pool.shutdown, kwargs={"cancel_futures": True}, daemon=True)
        thread.start()
        thread.join(20)

        assert refused == [True]
        assert not thread.is_alive()

    def test_a_worker_that_was_about_to_be_replaced_is_replaced(self, monkeypatch: pytest.MonkeyPatch) -> None:
        is_gone, may_go = Member.is_gone, threading.Event()
        monkeypatch.setattr(Member, "is_gone", lambda member: may_go.is_set() and is_gone(member))
        pool = PopenPoolExecutor(1, maximum_process_uses=1)
        assert pool.submit(abs, -1).result() == 1
        await_that(lambda: [member.state for member in pool._engine.members] == [State.ENDING])
        queued = pool.submit(abs, -2)
        pool.shutdown(wait=False)
        may_go.set()
        pool._engine.wake()

        assert queued.result(20) == 2

    def test_without_waiting_it_returns_at_once_and_what_is_queued_is_done(self, tmp_path: Path) -> None:
        pool = PopenPoolExecutor(1)
        futures = [pool.submit(jobs.pid_once, str(tmp_path / "returned")) for _ in range(3)]
        begun = time.monotonic()
        pool.shutdown(wait=False)

        assert time.monotonic() - begun < 0.25
        assert not any(future.done() for future in futures)
        (tmp_path / "returned").touch()
        assert len({future.result() for future in futures}) == 1
        await_that(lambda: below() == set())

    def test_it_can_drop_what_is_queued(self, tmp_path: Path) -> None:
        pool = PopenPoolExecutor(1)
        first = pool.submit(jobs.touch_and_sleep, str(tmp_path / "pid"), 0.5)
        await_that((tmp_path / "pid").exists)
        others = [pool.submit(abs, 1) for _ in range(3)]
        pool.shutdown(wait=False, cancel_futures=True)

        assert all(future.cancelled() for future in others)
        assert first.result() == str(tmp_path / "pid")
        await_that(lambda: below() == set())

    def test_no_worker_is_started_again_after_it(self, tmp_path: Path) -> None:
        pool = PopenPoolExecutor(1)
        first = pool.submit(jobs.touch_and_sleep, str(tmp_path / "pid"), _LONG)
        await_that((tmp_path / "pid").exists)
        second = pool.submit(abs, 1)
        pool.shutdown(wait=False)
        os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)

        assert isinstance(first.exception(), WorkerDiedError)
        with pytest.raises(PoolError, match="the pool was shut down"):
            second.result()

    def test_no_more_tasks(self, pool: PopenPoolExecutor) -> None:
        pool.shutdown()
        pool.shutdown()

        with pytest.raises(RuntimeError, match=r"^cannot schedule new futures after shutdown$"):
            pool.submit(abs, 1)

    def test_hung_tasks_can_be_ended(self, tmp_path: Path) -> None:
        pool = PopenPoolExecutor(2)
        hung = pool.submit(jobs.touch_and_sleep, str(tmp_path / "pid"), _LONG)
        await_that((tmp_path / "pid").exists)
        pool.kill_workers()
        pool.shutdown()

        assert isinstance(hung.exception(), WorkerDiedError)
        assert below() == set()

    def test_a_callback_may_shut_the_pool_down(self) -> None:
        pool = PopenPoolExecutor(1)
        pool.submit(time.sleep, 0.1).add_done_callback(lambda _: pool.shutdown())
        await_that(lambda: below() == set())


class TestCollection:
    def test_a_pool_that_nobody_has_any_more_still_does_what_is_queued(self) -> None:
        futures = [PopenPoolExecutor(1).submit(jobs.pid_after, 0.1) for _ in range(2)]

        assert len({future.result() for future in futures}) == 2
        await_that(lambda: below() == set())

    def test_it_never_deadlocks_in_whatever_thread_and_moment(self) -> None:
        for lock in (threading.Lock(), threading._shutdown_locks_lock):  # type: ignore[attr-defined] # what starting a thread takes
            pool = PopenPoolExecutor(1)
            future = pool.submit(abs, -1)
            cycle: list[object] = [pool]
            cycle.append(cycle)
            del pool, cycle
            with lock:
                gc.collect()

            assert future.result() == 1

    def test_a_worker_that_nobody_has_any_more_is_ended(self, tmp_path: Path) -> None:
        worker = PopenWorker()
        worker.send(jobs.touch_and_sleep, (str(tmp_path / "pid"), _LONG))
        await_that((tmp_path / "pid").exists)
        del worker

        await_that(lambda: below() == set())


def test_a_mistake_of_its_own_leaves_nobody_waiting_and_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Member, __: object) -> None:
        msg = "a mistake"
        raise AssertionError(msg)

    pool = PopenPoolExecutor(1)
    assert pool.submit(abs, -1).result() == 1
    monkeypatch.setattr(Member, "give", fail)

    assert repr(pool.submit(abs, -1).exception(30)) == "AssertionError('a mistake')"
    await_that(lambda: below() == set())
    assert not pool._engine.is_in_use()
    with pytest.raises(RuntimeError, match="cannot schedule new futures after shutdown"):
        pool.submit(abs, 1)


def test_a_pool_that_was_never_used_costs_nothing() -> None:
    pool = PopenPoolExecutor(2)
    pool.shutdown()

    assert isinstance(pool._engine, Engine)
    assert pool._engine.thread is None
