"""What one thread registers while it loads a backend, so that all of it can be undone."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType


class Journal:
    """Undo steps in the order of what they undo, and the modules whose import registered something."""

    def __init__(self) -> None:
        self._steps: list[Callable[[], None]] = []
        self._known = frozenset(sys.modules)

    def record(self, undo: Callable[[], None]) -> None:
        """Keep a step."""
        self._steps.append(undo)

    def record_registration(self, undo: Callable[[], None]) -> None:
        """Keep a step. If a module registers something while it is imported, it is to be imported again next time."""
        self._steps.extend(partial(forget_module, name) for name in self._importing())
        self._steps.append(undo)

    def mark(self) -> int:
        """Return a place to roll back to."""
        return len(self._steps)

    def rollback(self, mark: int = 0) -> None:
        """Undo everything since `mark`, the newest first."""
        while len(self._steps) > mark:
            self._steps.pop()()

    def _importing(self) -> Iterator[str]:
        frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - the one way to see who calls
        while frame is not None:
            if frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__") not in self._known:
                yield frame.f_globals["__name__"]
            frame = frame.f_back


class _Current(threading.local):
    journal: Journal | None = None


_current = _Current()


def record(undo: Callable[[], None]) -> None:
    """Keep an undo step if this thread loads a backend; what is registered otherwise stays registered."""
    if _current.journal is not None:
        _current.journal.record_registration(undo)


@contextmanager
def transaction() -> Iterator[Journal]:
    """Undo what this thread registers in the block if the block ends with any exception; a block within a block is a part of it."""
    outer = _current.journal
    journal = outer or Journal()
    mark = journal.mark()
    _current.journal = journal
    try:
        yield journal
    except BaseException:
        _current.journal = None
        journal.rollback(mark)
        raise
    finally:
        _current.journal = outer


def forget_module(module: str) -> None:
    """Make the next import of a module run it again."""
    gone = sys.modules.pop(module, None)
    parent, _, child = module.rpartition(".")
    if gone is not None and getattr(sys.modules.get(parent), child, None) is gone:
        delattr(sys.modules[parent], child)
