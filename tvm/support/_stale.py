"""Directories that a killed process left behind.

The owner of a directory holds a shared lock on it (flock on the directory itself: nothing is put into it). The system drops the
lock when the process ends, however it ends, so a directory whose lock can be had exclusively has no owner any more.
"""

import os
import shutil
import sys
import time
from contextlib import suppress
from pathlib import Path

# A directory this young may be between its making and its lock, in seconds.
_MINIMUM_AGE = 3600.0

if sys.platform == "win32":

    def hold(_folder: str) -> int | None:
        """Windows has no flock: nothing is held, and nothing is ever swept."""
        return None

    def sweep(_parent: Path, _prefix: str) -> None:
        """Windows has no flock: nothing is held, and nothing is ever swept."""

else:
    import fcntl

    def hold(folder: str) -> int | None:
        """Mark a directory as in use until the returned descriptor is closed; None where the file system has no flock."""
        descriptor = _open(folder)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            return None
        return descriptor

    def sweep(parent: Path, prefix: str) -> None:
        """Remove this user's directories in `parent` whose name begins with `prefix`, that are old and that nobody holds."""
        for folder in sorted(parent.glob(f"{prefix}*")):
            with suppress(OSError):
                _remove_if_stale(folder)

    def _remove_if_stale(folder: Path) -> None:
        descriptor = _open(str(folder))
        try:
            status = os.fstat(descriptor)
            if status.st_uid != os.getuid() or time.time() - status.st_mtime < _MINIMUM_AGE:
                return
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(descriptor)

    def _open(folder: str) -> int:
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
