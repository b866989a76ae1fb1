"""One builder at a time for each product, among all threads and processes."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tvm.error import LockTimeoutError
from tvm.support._lock import FileLock

# How long to wait for another process that builds the same product before it is built here too, in seconds.
PATIENCE = 300.0


@contextmanager
def alone(folder: Path, key: str, *, patience: float = PATIENCE) -> Iterator[bool]:
    """Hold the lock of a key in the block. False if it was not to be had: another builds, and takes too long.

    The lock's file is removed at the end, with what a killed holder has left beside it.
    """
    path = folder / f"{key}.lock"
    lock = _taken(path, patience)
    if lock is None:
        yield False
        return
    try:
        _clear(folder, key)
        yield True
    finally:
        _clear(folder, key)
        with suppress(OSError):
            path.unlink()
        lock.release()


def sweep(folder: Path) -> int:
    """Remove what killed builders have left in the folder; return how many files stay because their builders are at work."""
    for path in sorted(folder.iterdir()):
        key = path.name.partition(".")[0]
        with suppress(OSError), alone(folder, key, patience=0.0):
            pass
    return sum(1 for _ in folder.iterdir())


def _taken(path: Path, patience: float) -> FileLock | None:
    while True:
        try:
            lock = FileLock(path, timeout=patience)
        except LockTimeoutError:
            return None
        # Its holder has removed it: this lock is on a file without a name, and another may hold the one with it.
        if lock.is_at(path):
            return lock
        lock.release()


def _clear(folder: Path, key: str) -> None:
    for name in (f"{key}.part", f"{key}.d", f"{key}.ld"):
        with suppress(OSError):
            (folder / name).unlink()
