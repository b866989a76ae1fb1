"""Processes that run Python functions with a time limit: a worker, and a pool of them that is a concurrent.futures.Executor.

Nothing that a task started outlives its time limit, `kill`, the pool's shutdown or this process (docs/support/popen_pool.md).
"""

import atexit
import math
import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Executor, Future
from typing import Any, TypeVar

from tvm.error import PoolError
from tvm.support._pool import answers, launchers, mapping, trees
from tvm.support._pool.engine import Engine, end_all
from tvm.support._pool.mapping import MapResult, StatusKind
from tvm.support._pool.processes import Output
from tvm.support._pool.tasks import Settings, Task, dumps, time_limit

__all__ = ["MapResult", "PopenPoolExecutor", "PopenWorker", "StatusKind", "kill_child_processes"]

T = TypeVar("T")
# Seconds between looks at a process.
_LOOK = 0.005


def kill_child_processes(pid: int) -> None:
    """End all that a process has started, and what these have started, but not itself. No such process is no error."""
    trees.end_below(pid)


class PopenWorker:
    """A process that runs one task at a time. It starts at the first `send`, and again after it was ended.

    `initializer(*initargs)` runs first in each process. After `maximum_uses` tasks, or when it holds more than `maximum_memory`
    bytes after a task, the process is replaced before the next one. `stdout` and `stderr` are files or descriptors (None: ours).
    `start_timeout` (seconds) limits the start, and the loading of a task that has a time limit; `initializer_timeout` the
    initializer. Back ends are loaded automatically by a task's `import tvm` only with `autoload`.
    """

    def __init__(
        self,
        initializer: Callable[..., Any] | None = None,
        initargs: Sequence[Any] = (),
        maximum_uses: int | None = None,
        stdout: Output = None,
        stderr: Output = None,
        *,
        maximum_memory: int | None = None,
        autoload: bool = False,
        start_timeout: float = 60.0,
        initializer_timeout: float | None = 300.0,
    ) -> None:
        settings = Settings(
            initializer=initializer,
            initargs=initargs,
            maximum_uses=maximum_uses,
            maximum_memory=maximum_memory,
            stdout=stdout,
            stderr=stderr,
            autoload=autoload,
            start_timeout=start_timeout,
            initializer_timeout=initializer_timeout,
        ).checked("PopenWorker")
        self._engine = Engine(settings, launchers.launcher(), count=1)
        self._sent: deque[Future[Any]] = deque()
        # Whoever sends again waits for that, and not for what was ended before.
        self._is_killed = False

    def send(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        timeout: float | None = None,
    ) -> None:
        """Start `fn(*args, **kwargs)` in the process; `recv` gives what it returns.

        `timeout` limits its run, in seconds; it is kept while `recv` waits. What cannot be pickled raises here.
        """
        task = Task(future=self._engine.future(), body=dumps(fn, args, kwargs or {}), timeout=time_limit(timeout))
        self._engine.submit(task)
        if self._is_killed:
            self._is_killed = False
            self._sent.clear()
        self._sent.append(task.future)

    def recv(self) -> Any:
        """Return what the task returned, or raise what it raised.

        TaskTimeoutError (a TimeoutError) when it ran too long; PoolError (a ChildProcessError) when there is no result, with a subclass for each cause.
        """
        if not self._sent:
            msg = "there is no answer to wait for: nothing was sent"
            raise PoolError(msg, fix="call send first")
        future = self._sent.popleft()
        try:
            return future.result()
        except CancelledError:
            if not future.cancelled():
                # The task itself raised it.
                raise
            raise answers.killed() from None
        finally:
            # It holds the error, whose traceback holds this frame, and so this worker.
            del future

    @property
    def pid(self) -> int | None:
        """The number of the process, None if there is none."""
        return next((member.process.pid or None for member in list(self._engine.members)), None)

    def is_alive(self) -> bool:
        """Tell whether the process is there and runs, or is about to start."""
        return self._engine.is_in_use()

    def join(self, timeout: float | None = None) -> None:
        """Wait, at most `timeout` seconds, until the process ends by itself."""
        limit = time_limit(timeout)
        deadline = math.inf if limit is None else time.monotonic() + limit
        while self.is_alive() and time.monotonic() < deadline:
            time.sleep(_LOOK)

    def kill(self) -> None:
        """End the process and all that it started. The worker can be used again: the next `send` starts a process.

        Until then `recv` raises for each task that was sent; after it only answers to what was sent since are given.
        """
        self._engine.end_members()
        self._is_killed = True

    def __del__(self) -> None:
        # The constructor may not have come so far.
        if (engine := getattr(self, "_engine", None)) is not None:
            engine.forsake(kill=True)


class PopenPoolExecutor(Executor):
    """A pool of processes. `timeout` limits the run of each task, in seconds: not its start, and not its time in the queue.

    `max_workers` None: as many as there are processors. The other arguments are those of PopenWorker, of which it has one for
    each process; `maximum_process_uses` and `maximum_process_memory` are its `maximum_uses` and `maximum_memory`.
    """

    def __init__(
        self,
        max_workers: int | None = None,
        timeout: float | None = None,
        initializer: Callable[..., Any] | None = None,
        initargs: Sequence[Any] = (),
        maximum_process_uses: int | None = None,
        stdout: Output = None,
        stderr: Output = None,
        *,
        maximum_process_memory: int | None = None,
        autoload: bool = False,
        start_timeout: float = 60.0,
        initializer_timeout: float | None = 300.0,
    ) -> None:
        settings = Settings(
            initializer=initializer,
            initargs=initargs,
            maximum_uses=maximum_process_uses,
            maximum_memory=maximum_process_memory,
            stdout=stdout,
            stderr=stderr,
            autoload=autoload,
            start_timeout=start_timeout,
            initializer_timeout=initializer_timeout,
        ).checked("PopenPoolExecutor")
        self._count = _worker_count(max_workers)
        self._timeout = time_limit(timeout)
        self._engine = Engine(settings, launchers.launcher(), count=self._count)

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> "Future[T]":
        """Queue a call and return its future. RuntimeError after `shutdown`."""
        future = self._engine.future()
        try:
            body = dumps(fn, args, kwargs)
        except Exception as error:  # noqa: BLE001 - __reduce__ may raise anything
            future.set_exception(error)
        else:
            self._engine.submit(Task(future=future, body=body, timeout=self._timeout))
        return future

    def map_with_error_catching(self, fn: Callable[[Any], Any], iterator: Iterable[Any]) -> Iterator[MapResult]:
        """Call `fn(item)` for each item and give a MapResult for each, in order.

        Lazy: of the items, no more are taken than keep the workers busy. Closing the iterator cancels what is queued.
        """
        return mapping.map_with_error_catching(self, fn, iterator, window=2 * self._count)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - the seed's signature
        """Accept no more tasks. What is queued is still done, unless `cancel_futures`; then the processes end.

        With `wait` it returns when all is over, else at once: then no process is started again, so that a task whose worker is
        gone fails. A second call is fine.
        """
        self._engine.close(cancel=cancel_futures, restart=wait)
        if wait:
            self._engine.join()

    def kill_workers(self) -> None:
        """Accept no more tasks, cancel what is queued, and end the processes now: what runs fails with WorkerDiedError."""
        self._engine.kill()

    def __del__(self) -> None:
        # The constructor may not have come so far.
        if (engine := getattr(self, "_engine", None)) is not None:
            engine.forsake(kill=False)


def _worker_count(asked: int | None) -> int:
    if asked is None:
        return os.cpu_count() or 1
    if isinstance(asked, bool) or not isinstance(asked, int) or asked < 1:
        msg = f"max_workers must be a whole number from 1 on, or None, not {asked!r}"
        raise ValueError(msg)
    return asked


atexit.register(end_all)
