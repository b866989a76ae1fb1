"""A task of a pool, its future, and the settings that the workers of a pool have in common."""

import importlib
import logging
import math
import pickle
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from queue import SimpleQueue
from types import BuiltinFunctionType, FunctionType
from typing import TYPE_CHECKING, Any

from tvm.support._pool.processes import Output

if TYPE_CHECKING:
    from typing_extensions import Self


_PROTOCOL = 5
_PLAIN = frozenset({type(None), bool, int, float, str, bytes})
_LOG = logging.getLogger("concurrent.futures")


class PoolFuture(Future[Any]):
    """A future whose callbacks never run in a thread that a pool needs: one may wait for another future of the pool."""

    def __init__(self, is_needed: Callable[[], bool], later: Callable[[Callable[[], object]], None]) -> None:
        """`is_needed` tells whether the current thread is such a one, `later` runs a function in another one."""
        super().__init__()
        self._is_needed, self._later = is_needed, later

    def add_done_callback(self, fn: Callable[[Future[Any]], object]) -> None:
        """Call `fn` with the future when it is done."""
        super().add_done_callback(_Callback(fn, self._is_needed, self._later))


@dataclass(frozen=True)
class _Callback:
    function: Callable[[Future[Any]], object]
    is_needed: Callable[[], bool]
    later: Callable[[Callable[[], object]], None]

    def __call__(self, future: Future[Any]) -> None:
        if self.is_needed():
            self.later(lambda: self.function(future))
        else:
            self.function(future)


@dataclass(frozen=True, kw_only=True)
class Task:
    """A pickled call, its time limit in seconds (None: none), and the future that gets what it gives; if `raw`, the frame itself."""

    future: Future[Any]
    body: bytes
    timeout: float | None
    raw: bool = False


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the workers of a pool have in common. Times are in seconds, memory in bytes; None is no limit."""

    initializer: Callable[..., Any] | None = None
    initargs: Sequence[Any] = ()
    maximum_uses: int | None = None
    maximum_memory: int | None = None
    stdout: Output = None
    stderr: Output = None
    autoload: bool = False
    start_timeout: float = 60.0
    initializer_timeout: float | None = 300.0

    def checked(self, owner: str) -> "Self":
        """Return itself if all is well; TypeError or ValueError, in the name of `owner`, if not."""
        initializer: object = self.initializer
        if initializer is not None and not callable(initializer):
            msg = f"initializer must be callable for {owner}"
            raise TypeError(msg)
        for name in ("maximum_uses", "maximum_memory"):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
                msg = f"{name} must be a whole number that is not negative, or None, not {value!r}"
                raise ValueError(msg)
        time_limit(self.start_timeout, "start_timeout")
        time_limit(self.initializer_timeout, "initializer_timeout")
        return self


def time_limit(value: object, name: str = "timeout") -> float | None:
    """Return a time limit in seconds: None for none (infinity too), 0 for a negative one."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        msg = f"{name} must be a number of seconds or None, not {value!r}"
        raise TypeError(msg)
    if math.isnan(value):
        msg = f"{name} must be a number of seconds or None, not nan"
        raise ValueError(msg)
    return None if value == math.inf else max(0.0, float(value))


def dumps(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> bytes:
    """Pickle a call: what the worker cannot import (lambdas, what __main__ defines) goes along by value."""
    if _is_plain(function) and _PLAIN.issuperset(map(type, args)) and _PLAIN.issuperset(map(type, kwargs.values())):
        try:
            return pickle.dumps((function, tuple(args), dict(kwargs)), _PROTOCOL)
        except (AttributeError, pickle.PicklingError):
            # A lambda, or a function in a function.
            pass
    # To load it takes longer than to start a worker, and it has no types.
    cloudpickle: Any = importlib.import_module("cloudpickle")
    return bytes(cloudpickle.dumps((function, tuple(args), dict(kwargs)), protocol=_PROTOCOL))


def _is_plain(function: Callable[..., Any]) -> bool:
    """Tell whether plain pickle, which is faster, names the function as a worker finds it."""
    if type(function) is not FunctionType and type(function) is not BuiltinFunctionType:
        return False
    cloudpickle: Any = sys.modules.get("cloudpickle")
    # Modules whose functions shall go by value.
    by_value = cloudpickle.list_registry_pickle_by_value() if cloudpickle else ()
    # A method of a built-in object has no module.
    module = function.__module__ or ""
    return module != "__main__" and not any(module.startswith(name) for name in by_value)


class Aside:
    """A thread for what must not keep a pool's own thread: it starts with the first call that it is given."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._calls: SimpleQueue[Callable[[], object] | None] = SimpleQueue()
        self._lock = threading.Lock()
        self.thread: threading.Thread | None = None

    def put(self, call: Callable[[], object]) -> None:
        """Run a function there, after those that it was given before."""
        self._calls.put(call)
        with self._lock:
            if self.thread is None:
                self.thread = threading.Thread(target=self._serve, name=self._name, daemon=True)
                self.thread.start()

    def close(self) -> None:
        """End the thread when all is done."""
        self._calls.put(None)

    def _serve(self) -> None:
        while (call := self._calls.get()) is not None:
            try:
                call()
            except Exception:  # noqa: BLE001 - as concurrent.futures does with a callback that fails
                _LOG.exception("a callback of a future failed")
            del call
