"""Locks of this user on this machine: two runs at once make one thing once."""

from collections.abc import Iterator
from contextlib import contextmanager

from platformdirs import user_cache_path

from tvm.error import LockTimeoutError, StorageError
from tvm.matrix.engine import Progress
from tvm.support.utils import FileLock

# Seconds that another run may take to build the same image.
_LIMIT = 7200.0


@contextmanager
def locked(name: str, progress: Progress) -> Iterator[None]:
    """Hold the lock `name` (an image's reference) for the block; say so if another run has it."""
    folder = user_cache_path("tvm-matrix") / "locks"
    path = folder / _file(name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = _take(path.as_posix(), name, progress)
    except OSError as error:
        if isinstance(error, LockTimeoutError):
            raise
        msg = f"the lock {path} cannot be made: {error.strerror}"
        raise StorageError(msg, fix="make that folder writable, or set XDG_CACHE_HOME") from error
    with lock:
        yield


@contextmanager
def held(name: str) -> Iterator[bool]:
    """Hold the lock `name` for the block if nobody has it, and say whether it is held; nobody is waited for."""
    path = user_cache_path("tvm-matrix") / "locks" / _file(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        lock = FileLock(path.as_posix(), timeout=0)
    except LockTimeoutError:
        yield False
        return
    with lock:
        yield True


def _file(name: str) -> str:
    return f"{name.replace('/', '_').replace(':', '_')}.lock"


def _take(path: str, name: str, progress: Progress) -> FileLock:
    try:
        return FileLock(path, timeout=0)
    except LockTimeoutError:
        progress(f"wait for another run that makes {name}")
        return FileLock(path, timeout=_LIMIT)
