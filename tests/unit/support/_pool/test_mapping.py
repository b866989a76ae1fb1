import asyncio
from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor, Future
from typing import Any

import pytest

from tvm.support._pool.mapping import MapResult, StatusKind, map_with_error_catching


class _AtOnce(Executor):
    """Runs each call when it is submitted."""

    def __init__(self) -> None:
        self.futures: list[Future[Any]] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        self.futures.append(future)
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - the future's
            future.set_exception(error)
        return future


class _Never(_AtOnce):
    """Runs nothing."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> "Future[Any]":  # noqa: ARG002 - the base's signature
        future: Future[Any] = Future()
        self.futures.append(future)
        return future


def test_results_in_order() -> None:
    results = list(map_with_error_catching(_AtOnce(), lambda item: 6 // item, [3, 0, 2], window=2))

    assert results[0] == MapResult(StatusKind.COMPLETE, 2)
    assert (results[1].status, repr(results[1].value)[:17]) == (StatusKind.EXCEPTION, "ZeroDivisionError")
    assert results[2] == MapResult(StatusKind.COMPLETE, 3)


def test_a_time_limit_has_a_status_of_its_own() -> None:
    def overrun(_: int) -> None:
        raise TimeoutError

    (result,) = map_with_error_catching(_AtOnce(), overrun, [1], window=2)

    assert result.status is StatusKind.TIMEOUT


@pytest.mark.parametrize("error", [GeneratorExit("g"), asyncio.CancelledError()])
def test_what_is_no_exception_of_python_s_kind_ends_no_mapping(error: BaseException) -> None:
    pool = _Never()
    results = map_with_error_catching(pool, abs, [1, 2], window=2)
    submit = pool.submit
    pool.submit = lambda fn, *args: _failed(submit(fn, *args), error)  # type: ignore[method-assign] # a stand-in

    assert [*results] == [MapResult(StatusKind.EXCEPTION, error)] * 2


def _failed(future: "Future[Any]", error: BaseException) -> "Future[Any]":
    future.set_exception(error)
    return future


def test_one_that_was_cancelled_is_an_exception_too() -> None:
    pool = _Never()
    results = map_with_error_catching(pool, abs, [1], window=1)
    submit = pool.submit
    pool.submit = lambda fn, *args: _cancelled(submit(fn, *args))  # type: ignore[method-assign] # as above

    (result,) = results
    assert (result.status, type(result.value)) == (StatusKind.EXCEPTION, CancelledError)


def _cancelled(future: "Future[Any]") -> "Future[Any]":
    future.cancel()
    return future


def test_no_more_than_the_window_is_taken_in_advance() -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    results = map_with_error_catching(_AtOnce(), abs, items(), window=3)
    assert taken == []
    next(results)
    assert taken == [0, 1, 2]
    next(results)
    assert taken == [0, 1, 2, 3]


def test_closing_cancels_what_waits() -> None:
    pool = _First()
    results = map_with_error_catching(pool, abs, range(9), window=3)
    next(results)
    results.close()  # type: ignore[attr-defined] # it is a generator

    assert [future.cancelled() for future in pool.futures] == [False, True, True]


class _First(_Never):
    """Runs the first call alone."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> "Future[Any]":
        future = super().submit(fn, *args, **kwargs)
        if len(self.futures) == 1:
            future.set_result(fn(*args, **kwargs))
        return future


def test_an_error_of_the_items_comes_last() -> None:
    results = map_with_error_catching(_AtOnce(), abs, (6 // (2 - number) for number in range(9)), window=5)

    assert [next(results).value, next(results).value] == [3, 6]
    with pytest.raises(ZeroDivisionError):
        next(results)
