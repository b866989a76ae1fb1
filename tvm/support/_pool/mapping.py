"""What became of each call of a function over many items, lazily and in order."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Executor, Future
from enum import IntEnum
from typing import Any, NamedTuple


class StatusKind(IntEnum):
    """What became of a task."""

    RUNNING = 0
    COMPLETE = 1
    EXCEPTION = 2
    TIMEOUT = 3


class MapResult(NamedTuple):
    """What became of one call of `map_with_error_catching`: its status, and what it returned or raised."""

    status: StatusKind
    value: Any


def map_with_error_catching(
    executor: Executor, fn: Callable[[Any], Any], items: Iterable[Any], *, window: int
) -> Iterator[MapResult]:
    """Call `fn(item)` for each item and give a MapResult for each, in order; at most `window` items are taken in advance."""
    source = iter(items)
    waiting: deque[Future[Any]] = deque()
    failure: Exception | None = None
    try:
        while True:
            while failure is None and len(waiting) < window:
                failure = _submit_next(executor, fn, source, waiting)
            if not waiting:
                break
            yield _result(waiting.popleft())
    finally:
        for future in waiting:
            future.cancel()
    if failure is not None and not isinstance(failure, StopIteration):
        # Of the items themselves: what came before it has been given.
        raise failure


def _submit_next(
    executor: Executor, fn: Callable[[Any], Any], source: Iterator[Any], waiting: "deque[Future[Any]]"
) -> Exception | None:
    try:
        waiting.append(executor.submit(fn, next(source)))
    except Exception as error:  # noqa: BLE001 - the end of the items, or whatever they raise
        return error
    return None


def _result(future: "Future[Any]") -> MapResult:
    error: BaseException | None
    try:
        # Not result(): what it raises could also be this thread's own KeyboardInterrupt.
        error = future.exception()
    except CancelledError as cancelled:
        error = cancelled
    if error is None:
        return MapResult(StatusKind.COMPLETE, future.result())
    return MapResult(StatusKind.TIMEOUT if isinstance(error, TimeoutError) else StatusKind.EXCEPTION, error)
