"""The folder of results: a cell's new one is made beside the old and swapped in by two renames."""

import errno
import json
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from tvm.error import ArchiveError, LockTimeoutError, StorageError, TVMError
from tvm.matrix.owner import is_alive
from tvm.matrix.signals import held

# The longest wait for another run that is swapping or writing the report, in seconds.
_LOCK_LIMIT = 60.0
_LOCK_POLL = 0.05
_NEW, _OLD = ".new-", ".old"


@dataclass(frozen=True, kw_only=True)
class Results:
    """The results of one project: CELL/ the last good one, CELL.failed/ the last failure, CELL.new-OWNER.N/ one in the making,
    CELL.unbuilt.json why it has no image.

    What this machine's own tools gave stands apart, as the cell CELL@local.
    CELL.new-OWNER.N.old/ (or CELL.failed.new-...) is what was in the place before, for the moment of a swap.
    """

    folder: Path

    def staging(self, cell: str, run_id: str) -> Path:
        """Make and return an empty folder for a run of a cell."""
        path = self.folder / f"{cell}{_NEW}{run_id}"
        with storage(path):
            self.folder.mkdir(parents=True, exist_ok=True)
            shutil.rmtree(path, ignore_errors=True)
            path.mkdir()
        return path

    def drop(self, staged: Path) -> None:
        """Remove the folder of a run that came to no result; nothing is there after a swap."""
        with held():
            shutil.rmtree(staged, ignore_errors=True)

    def good(self, cell: str) -> Path:
        """Return the folder of the cell's last good run."""
        return self.folder / cell

    def failed(self, cell: str) -> Path:
        """Return the folder of the cell's last failed run."""
        return self.folder / f"{cell}.failed"

    def repro(self, cell: str) -> Path:
        """Return the folder of the cell's last repro: repro.json, and both builds where they differ."""
        return self.folder / f"{cell}.repro"

    def swap(self, staged: Path, target: Path) -> None:
        """Put a finished folder in the place of the one before. A good result ends the failure before it. As previous.json
        stays the manifest of the one before, of the failure if it is the first good one: what the two differ in can be told later.
        """
        with self.locked(), storage(target), held():
            for before in (target, self.failed(target.name)):
                if (before / "manifest.json").is_file():
                    shutil.copyfile(before / "manifest.json", staged / "previous.json")
                    break
            old = staged.with_name(f"{target.name}{staged.name[staged.name.index(_NEW) :]}{_OLD}")
            try:
                if target.exists():
                    target.rename(old)
                staged.rename(target)
            finally:
                # What came between the two renames, a signal say, must not cost the result that was there.
                if old.exists() and not target.exists():
                    old.rename(target)
            shutil.rmtree(old, ignore_errors=True)
            if not target.suffix:  # CELL, not CELL.failed
                shutil.rmtree(self.failed(target.name), ignore_errors=True)
            self._reason(target.stem).unlink(missing_ok=True)

    def keep_reason(self, cell: str, tree_sha256: str, why: str) -> None:
        """Keep why a cell has no image for a tree, until it has a result."""
        with storage(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        write_atomic(self._reason(cell), json.dumps({"tree_sha256": tree_sha256, "why": why}, sort_keys=True) + "\n")

    def reason(self, cell: str, tree_sha256: str) -> str:
        """Return why a cell has no image for a tree; empty if nothing is known of it."""
        try:
            kept = json.loads(self._reason(cell).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return ""
        return str(kept["why"]) if kept["tree_sha256"] == tree_sha256 else ""

    def _reason(self, cell: str) -> Path:
        return self.folder / f"{cell}.unbuilt.json"

    def cells(self) -> list[Path]:
        """Return the folders of all cells that have a manifest, good and failed, sorted by name."""
        return sorted(path.parent for path in self.folder.glob("*/manifest.json") if _NEW not in path.parent.name)

    def recover(self) -> None:
        """Undo what runs left that were killed: drop their staging folders, put back a result caught between two renames."""
        with self.locked(), storage(self.folder):
            for path in sorted(self.folder.glob(f"*{_NEW}*")):
                target, _, run_id = path.name.partition(_NEW)
                if is_alive(run_id.partition(".")[0]):
                    continue
                if path.name.endswith(_OLD) and not (self.folder / target).exists():
                    path.rename(self.folder / target)
                else:
                    shutil.rmtree(path, ignore_errors=True)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock of the folder: one swap or one report at a time."""
        with storage(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self.folder / ".lock")
        try:
            self._take(lock)
            yield
        finally:
            with held():
                lock.release()

    def _take(self, lock: FileLock) -> None:
        """Wait for the lock. A signal ends the wait, but never comes between taking it and knowing that it is taken."""
        end = time.monotonic() + _LOCK_LIMIT
        while not self._taken(lock):
            if time.monotonic() > end:
                msg = f"{self.folder}: another run holds the lock of the results"
                raise LockTimeoutError(msg, fix="wait for it to end, then run again")
            time.sleep(_LOCK_POLL)

    def _taken(self, lock: FileLock) -> bool:
        with storage(self.folder), suppress(Timeout), held():
            lock.acquire(blocking=False)
        return lock.is_locked


def place(cell: str, builder: str) -> str:
    """Return the name that the results of a cell have: CELL, or CELL@local for those of this machine's own tools."""
    return f"{cell}@local" if builder == "local" else cell


def write_atomic(path: Path, text: str) -> None:
    """Write a text file under a name of its own beside the target, then rename it: a reader sees the old or the new one."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with storage(path):
        try:
            beside.write_text(text, encoding="utf-8")
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)


_FIXES = {
    errno.ENOSPC: "free some space there: python -m tvm.matrix prune removes old images",
    errno.EDQUOT: "free some space: the quota is used up",
    errno.EACCES: "give this user write permission there",
    errno.EPERM: "give this user write permission there",
    errno.EROFS: "the file system is read-only: use one that can be written",
}


@contextmanager
def storage(path: Path) -> Iterator[None]:
    """Turn what the file system refuses into a StorageError that names the path and what to do."""
    try:
        yield
    except ArchiveError as error:
        # An archive's reader wraps what the file system told it.
        refused = error.__cause__
        if isinstance(refused, OSError) and refused.errno in _FIXES:
            raise _refused(path, refused) from error
        raise
    except TVMError:
        # Some are OSErrors too: a lock's or a tool's time limit.
        raise
    except OSError as error:
        raise _refused(path, error) from error


def _refused(path: Path, error: OSError) -> StorageError:
    msg = f"{path}: cannot be written: {error.strerror or error}"
    return StorageError(msg, fix=_FIXES.get(error.errno or 0, ""))
