"""One builder at a time for each product, among all threads and processes."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tvm.error import LockTimeoutError
from tvm.support._lock import FileLock

# How long to wait for another process that builds the same product before it is built here too, in seconds.
PATIENCE = 300.0


@contextmanager
def alone(folder: Path, key: str, *, patience: float = PATIENCE) -> Iterator[Path | None]:
    """Hold the lock of a key in the block, and give the path that files of this builder begin with.

    None if the lock was not to be had: another builds, and takes too long. The lock's file is removed at the end, with all that
    builders of this key have left beside it. No two builders have one path: the tool of a killed one may go on writing.
    """
    path = folder / f"{key}.lock"
    lock = _taken(path, patience)
    if lock is None:
        yield None
        return
    try:
        _clear(folder, key)
        yield folder / f"{key}.{secrets.token_hex(4)}"
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
    for path in folder.glob(f"{key}.*"):
        if path.name != f"{key}.lock":
            with suppress(OSError):
                path.unlink()
