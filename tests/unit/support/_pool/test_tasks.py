import logging
import pickle
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from tests.unit.support import pool_jobs as jobs
from tests.unit.support.pool_processes import await_that
from tvm.support._pool import tasks
from tvm.support._pool.tasks import Aside, PoolFuture

if TYPE_CHECKING:
    from concurrent.futures import Future


class TestDumps:
    def test_a_plain_call_needs_no_cloudpickle(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "cloudpickle", None)

        assert pickle.loads(tasks.dumps(abs, [-1], {})) == (abs, (-1,), {})  # noqa: S301 - written one call before
        assert pickle.loads(tasks.dumps(jobs.identity, ["x"], {}))[0] is jobs.identity  # noqa: S301 - as above

    def test_what_the_worker_cannot_import_goes_by_value(self) -> None:
        function, args, _ = pickle.loads(tasks.dumps(lambda value: value + 1, [1], {}))  # noqa: S301 - as above

        assert function(*args) == 2

    def test_a_function_of_main_goes_by_value(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def main_function() -> int:
            return 42

        main_function.__module__ = "__main__"
        main_function.__qualname__ = "main_function"
        monkeypatch.setattr(sys.modules["__main__"], "main_function", main_function, raising=False)

        assert b"__main__" not in tasks.dumps(main_function, [], {}).split(b"cloudpickle")[0]
        assert b"_make_function" in tasks.dumps(main_function, [], {})

    def test_a_module_that_shall_go_by_value(self) -> None:
        import cloudpickle  # type: ignore[import-untyped] # noqa: PLC0415 - it has no types

        cloudpickle.register_pickle_by_value(jobs)
        try:
            assert b"_make_function" in tasks.dumps(jobs.identity, [1], {})
            function, args, _ = pickle.loads(tasks.dumps("abc".upper, [], {}))  # noqa: S301 - as above
            assert function(*args) == "ABC"
        finally:
            cloudpickle.unregister_pickle_by_value(jobs)


class TestFuture:
    def test_a_callback_runs_here_unless_the_thread_is_needed(self) -> None:
        later: list[object] = []
        for needed in (False, True):
            ran: list[Future[object]] = []
            future = PoolFuture(lambda needed=needed: needed, later.append)  # type: ignore[misc] # a default binds the value
            future.add_done_callback(ran.append)
            future.set_result(1)

            assert ran == ([] if needed else [future])
        assert len(later) == 1

    def test_done_already(self) -> None:
        ran: list[Future[object]] = []
        future = PoolFuture(lambda: False, lambda _: None)
        future.set_result(1)
        future.add_done_callback(ran.append)

        assert ran == [future]


class TestAside:
    def test_calls_run_in_order_in_one_thread(self) -> None:
        aside, ran = Aside("test-aside"), list[tuple[int, str]]()
        assert aside.thread is None
        for number in range(3):
            aside.put(lambda number=number: ran.append((number, threading.current_thread().name)))  # type: ignore[misc] # as above
        aside.close()
        await_that(lambda: aside.thread is not None and not aside.thread.is_alive())

        assert ran == [(0, "test-aside"), (1, "test-aside"), (2, "test-aside")]

    def test_one_that_fails_is_logged_and_the_next_one_runs(self, caplog: pytest.LogCaptureFixture) -> None:
        aside, ran = Aside("test-aside"), list[int]()
        with caplog.at_level(logging.ERROR, "concurrent.futures"):
            aside.put(lambda: 1 // 0)
            aside.put(lambda: ran.append(1))
            aside.close()
            await_that(lambda: ran)

        assert "a callback of a future failed" in caplog.text
