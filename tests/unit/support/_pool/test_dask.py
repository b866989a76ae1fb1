"""The pool over dask, with a stand-in for its client; a real scheduler is in tests/e2e."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.support.pool_processes import await_that
from tvm.error import PoolError, TaskTimeoutError, WorkerDiedError
from tvm.support._pool.dask import DaskExecutor
from tvm.support._pool.frames import Answer, Frame
from tvm.support._pool.remote import Reply

if TYPE_CHECKING:
    from concurrent.futures import Future


class _Remote:
    """A future of the scheduler."""

    def __init__(self) -> None:
        self.status = "pending"
        self.cancelled = False
        self._reply: object = None
        self._callbacks: list[Callable[[Any], object]] = []

    def add_done_callback(self, callback: Callable[[Any], object]) -> None:
        self._callbacks.append(callback)

    def end(self, status: str, reply: object = None) -> None:
        self.status, self._reply = status, reply
        for callback in self._callbacks:
            callback(self)

    def result(self) -> object:
        return self._reply

    def exception(self) -> object:
        return self._reply

    def cancel(self) -> None:
        self.cancelled = True


class _Client:
    """Records what is submitted."""

    made: "list[_Client]" = []  # noqa: RUF012 - emptied by the fixture

    def __init__(self, address: str, **_options: object) -> None:
        self.address = address
        self.remotes: list[_Remote] = []
        self.closed = False
        self.error: Exception | None = None
        _Client.made.append(self)

    def submit(self, *_args: object, **_options: object) -> _Remote:
        if self.error is not None:
            raise self.error
        self.remotes.append(_Remote())
        return self.remotes[-1]

    def nthreads(self) -> dict[str, int]:
        return {"a": 1}

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> DaskExecutor:
    _Client.made.clear()
    monkeypatch.setitem(sys.modules, "distributed", type("Distributed", (), {"Client": _Client}))
    return DaskExecutor("host:1", timeout=2)


def _sent(pool: DaskExecutor) -> tuple["Future[int]", _Remote]:
    future = pool.submit(abs, -1)
    return future, _Client.made[0].remotes[-1]


def test_a_result(pool: DaskExecutor) -> None:
    future, remote = _sent(pool)
    assert not future.done()
    remote.end("finished", Reply(frame=Frame(kind=Answer.PLAIN, body=b"I42\n.")))

    assert future.result() == 42
    assert _Client.made[0].address == "tcp://host:1"


def test_an_error_of_the_pool(pool: DaskExecutor) -> None:
    future, remote = _sent(pool)
    remote.end("finished", Reply(error=TaskTimeoutError("late")))

    assert isinstance(future.exception(), TaskTimeoutError)


def test_a_dask_worker_that_died(pool: DaskExecutor) -> None:
    future, remote = _sent(pool)
    cause = RuntimeError("killed")
    remote.end("error", cause)

    error = future.exception()
    assert isinstance(error, WorkerDiedError)
    assert error.__cause__ is cause


@pytest.mark.parametrize("status", ["lost", "cancelled"])
def test_a_task_that_the_scheduler_lost(pool: DaskExecutor, status: str) -> None:
    future, remote = _sent(pool)
    remote.end(status)

    with pytest.raises(WorkerDiedError, match=f"the task's status is '{status}'"):
        future.result()


def test_an_empty_reply(pool: DaskExecutor) -> None:
    future, remote = _sent(pool)
    remote.end("finished", Reply())

    with pytest.raises(PoolError, match="neither an answer nor an error"):
        future.result()


def test_a_cancelled_task_is_cancelled_there(pool: DaskExecutor) -> None:
    future, remote = _sent(pool)

    assert future.cancel()
    assert remote.cancelled
    remote.end("cancelled")
    assert future.cancelled()


def test_shutdown_drops_what_waits(pool: DaskExecutor) -> None:
    future, _ = _sent(pool)
    pool.shutdown(cancel_futures=True)

    assert future.cancelled()
    assert _Client.made[0].closed
    with pytest.raises(RuntimeError, match="cannot schedule new futures after shutdown"):
        pool.submit(abs, 1)


def test_what_cannot_be_pickled(pool: DaskExecutor) -> None:
    future = pool.submit(lambda value: value, sys._getframe())

    assert isinstance(future.exception(), TypeError)


def test_a_scheduler_that_takes_nothing_is_the_error_of_the_future(pool: DaskExecutor) -> None:
    _Client.made[0].error = OSError("lost")
    future = pool.submit(abs, -1)

    assert repr(future.exception(20)) == "OSError('lost')"
    pool.shutdown()
    assert _Client.made[0].closed


def test_without_waiting_the_connection_is_closed_when_all_is_done(pool: DaskExecutor) -> None:
    future, remote = _sent(pool)
    pool.shutdown(wait=False)
    assert not _Client.made[0].closed
    remote.end("finished", Reply(frame=Frame(kind=Answer.PLAIN, body=b"I42\n.")))
    await_that(lambda: _Client.made[0].closed)

    assert future.result() == 42
