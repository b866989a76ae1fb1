"""The part of a distributed pool that runs in a dask worker: each of its threads has a worker process of this project's pool.

So a task has the same time limit, and ends with all that it has started, as in a local pool.
"""

import threading
from dataclasses import dataclass
from typing import Any

from tvm.support._pool import launchers
from tvm.support._pool.engine import Engine
from tvm.support._pool.frames import Frame
from tvm.support._pool.tasks import Settings, Task

_OF_THREAD = threading.local()


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What became of a task: a frame of the worker, or an error of the pool or of its initializer."""

    frame: Frame | None = None
    error: Exception | None = None


def run(body: bytes, timeout: float | None, settings: Settings) -> Reply:
    """Run a pickled call in this thread's worker process."""
    engine = _engine(settings)
    future = engine.future()
    engine.submit(Task(future=future, body=body, timeout=timeout, raw=True))
    try:
        return Reply(frame=future.result())
    except Exception as error:  # noqa: BLE001 - of the initializer, which may raise anything
        return Reply(error=error)


class _Held:
    """An engine that ends with the thread that holds it."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.engine = Engine(settings, launchers.launcher(), count=1)

    def __del__(self) -> None:
        self.engine.forsake(kill=True)


def _engine(settings: Settings) -> Engine:
    held: Any = getattr(_OF_THREAD, "held", None)
    if held is None or held.settings != settings:
        held = _OF_THREAD.held = _Held(settings)
    engine: Engine = held.engine
    return engine
