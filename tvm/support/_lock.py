"""A lock on a file, between threads and between processes, on the primitive of the library `filelock`.

Its own FileLock empties the file once it has the lock (up to 4.1, the last for Python 3.10), so the descriptor is opened here.
"""

import os
import time
from types import TracebackType
from typing import TYPE_CHECKING, ClassVar
from weakref import WeakSet

from filelock import lock_descriptor

from tvm.error import LockTimeoutError

if TYPE_CHECKING:
    from typing_extensions import Self

# How long a waiting thread sleeps between two tries, in seconds.
_PAUSE = 0.02


class FileLock:
    """An exclusive lock on a file, held from construction to `release`, between threads and between processes.

    The file is made if it is missing, never emptied and never removed. `timeout` is in seconds: None waits without limit, 0
    tries once. LockTimeoutError (a TimeoutError) when it is not to be had. A forked child does not inherit the lock.
    """

    _HELD: ClassVar["WeakSet[FileLock]"] = WeakSet()
    _descriptor: int | None = None

    def __init__(self, path: str | os.PathLike[str], *, timeout: float | None = None) -> None:
        """Take the lock on `path`."""
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        FileLock._HELD.add(self)
        try:
            taken = _take(self._descriptor, timeout)
        except BaseException:
            self.release()
            raise
        if not taken:
            self.release()
            msg = f"the lock {os.fspath(path)!r} is held by another thread or process (waited {timeout:g} s)"
            raise LockTimeoutError(msg, fix="wait for its holder to end, or give a longer timeout")

    def release(self) -> None:
        """Give the lock back; a second call does nothing."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            # Ends the lock too: nobody else has this open file, for forked children close theirs.
            os.close(descriptor)

    def is_at(self, path: str | os.PathLike[str]) -> bool:
        """Tell whether the file that is locked still has this name."""
        if self._descriptor is None:
            return False
        try:
            return os.path.samestat(os.fstat(self._descriptor), os.stat(path))  # noqa: PTH116 - with fstat, one pair
        except OSError:
            return False

    def __enter__(self) -> "Self":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def __del__(self) -> None:
        self.release()

    @classmethod
    def _start_child(cls) -> None:
        # An open file that parent and child share would keep the lock until both have closed it.
        for lock in list(FileLock._HELD):
            lock.release()


def _take(descriptor: int, timeout: float | None) -> bool:
    end = None if timeout is None else time.monotonic() + timeout
    while not lock_descriptor(descriptor, blocking=False):
        if end is not None and time.monotonic() >= end:
            return False
        time.sleep(_PAUSE)
    return True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=FileLock._start_child)  # noqa: SLF001 - part of the class
