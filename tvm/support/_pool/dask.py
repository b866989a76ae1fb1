"""A pool on the workers of a dask scheduler, with the time limits and the errors of the local one."""

import importlib
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, wait
from contextlib import suppress
from typing import Any, TypeVar

from tvm.error import PoolError, UnavailableError, WorkerDiedError
from tvm.support._pool import answers, mapping, remote
from tvm.support._pool.mapping import MapResult
from tvm.support._pool.tasks import Settings, dumps, time_limit

T = TypeVar("T")
# Seconds in which a scheduler has to answer.
_CONNECT_LIMIT = 10.0


class DaskExecutor(Executor):
    """A concurrent.futures.Executor over a dask scheduler at `host:port`.

    tvm-matrix must be installed where its workers run. A task that is cancelled is forgotten; if it runs already it runs to its end.
    """

    def __init__(self, address: str, *, timeout: float | None = None, settings: Settings | None = None) -> None:
        self._settings = (settings or Settings()).checked("executor")
        self._timeout = time_limit(timeout)
        self._client = _connect(address)
        self._lock = threading.Lock()
        self._open: set[Future[Any]] = set()
        self._closed = False

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> "Future[T]":
        """Send a call to the scheduler and return its future. RuntimeError after `shutdown`."""
        future: Future[T] = Future()
        with self._lock:
            if self._closed:
                msg = "cannot schedule new futures after shutdown"
                raise RuntimeError(msg)
            self._open.add(future)
        future.add_done_callback(self._open.discard)
        key = f"tvm-{uuid.uuid4().hex}"
        try:
            body = dumps(fn, args, kwargs)
            sent = self._client.submit(remote.run, body, self._timeout, self._settings, pure=False, key=key)
        except Exception as error:  # noqa: BLE001 - __reduce__ may raise anything, and so may a client without its scheduler
            future.set_exception(error)
            return future
        sent.add_done_callback(lambda done: _settle(future, done))
        future.add_done_callback(lambda own: sent.cancel() if own.cancelled() else None)
        return future

    def map_with_error_catching(self, fn: Callable[[Any], Any], iterator: Iterable[Any]) -> Iterator[MapResult]:
        """Call `fn(item)` for each item and give a MapResult for each, in order and lazily."""
        threads = sum(self._client.nthreads().values())
        return mapping.map_with_error_catching(self, fn, iterator, window=2 * max(1, threads))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - the base's signature
        """Accept no more tasks; with `wait` return when all are done. The scheduler and its workers go on."""
        with self._lock:
            self._closed = True
        if cancel_futures:
            for future in list(self._open):
                future.cancel()
        if wait:
            self._finish()
        else:
            threading.Thread(target=self._finish, name="tvm-pool-dask", daemon=True).start()

    def _finish(self) -> None:
        _await(self._open)
        self._client.close()


def _await(futures: "set[Future[Any]]") -> None:
    wait(list(futures))


def _connect(address: str) -> Any:
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError as error:
        msg = "dask.distributed is not installed"
        raise UnavailableError(msg, fix="pip install 'tvm-matrix[dask]'") from error
    try:
        return distributed.Client(f"tcp://{address}", timeout=_CONNECT_LIMIT, set_as_default=False)
    except (OSError, ValueError) as error:
        msg = f"no dask scheduler answers at {address}: {error}"
        raise PoolError(msg, fix="start one with `dask scheduler`, and name it as dask://HOST:PORT") from error


def _settle(future: "Future[Any]", done: Any) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(_value(done))
    except BaseException as error:  # noqa: BLE001 - whatever the task raised belongs to who waits for it
        with suppress(Exception):
            future.set_exception(error)


def _value(done: Any) -> Any:
    if done.status != "finished":
        cause = done.exception() if done.status == "error" else None
        msg = f"a worker of the scheduler gave no result: the task's status is {done.status!r}"
        raise WorkerDiedError(f"{msg}: {cause}" if cause else msg) from cause
    reply: remote.Reply = done.result()
    if reply.error is not None:
        raise reply.error
    if reply.frame is None:
        msg = "a worker of the scheduler sent neither an answer nor an error"
        raise PoolError(msg)
    return answers.value_of(reply.frame)
