"""Products are made beside their target under fixed names and renamed into place: nothing half-written, nothing random.

A tool may write the name of its output into the output (an install name, the .dwo of a debug build, a coverage note), so the
folder has a fixed name and a lock instead of a random name.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tvm.error import StorageError, TVMError
from tvm.support import _orphans
from tvm.support._arguments import Arg, unmistakable
from tvm.support._platform import is_windows_like


@dataclass(frozen=True, kw_only=True)
class Stage:
    """A private folder beside the target: where it is, how a tool run in `cwd` must spell it, and the product's name in it."""

    folder: Path
    spelled: Path
    name: str

    @property
    def product(self) -> str:
        """The product's path, as the tool must be given it."""
        return self.spell(self.name)

    def spell(self, *names: str) -> str:
        """Return a path inside the folder, as a tool must be given it."""
        return unmistakable(str(self.spelled.joinpath(*names)))


@contextmanager
def staged(output: Arg, *, cwd: Arg | None = None, name: str | None = None) -> Iterator[Stage]:
    """Make `output` (relative to `cwd`) out of what the block writes to the stage's product, called `name` (None: as `output`).

    When the block ends well, the product replaces `output`, and other files that the tool wrote there (.d, .dwo) move beside
    it. When it raises, an earlier `output` is as it was. StorageError where the output cannot be placed.
    """
    given = os.fspath(output)
    target = Path(cwd or ".", given).absolute()
    _check_target(target)
    with private(target.with_name(f".{target.name}.tvm")) as folder:
        stage = Stage(folder=folder, spelled=Path(given).parent / folder.name, name=name or target.name)
        yield stage
        _place(stage, target)


@contextmanager
def _claimed(folder: Path) -> Iterator[Path]:
    descriptor, left = _hold(folder)
    try:
        if left:
            _orphans.end(folder)
        _empty(folder)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(descriptor)


def private(folder: Path) -> AbstractContextManager[Path]:
    """Make a folder, empty and only for this block among all threads and processes; it is removed at the end of the block.

    What a killed process left in it is removed first. StorageError when it is another user's, or a link.
    """
    # No flock on Windows; there a product holds at most the base name of its output, so a random folder does not show.
    if is_windows_like():
        return _unshared(folder)
    return _claimed(folder)


@contextmanager
def _unshared(folder: Path) -> Iterator[Path]:
    try:
        made = Path(tempfile.mkdtemp(prefix=f"{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise _unusable(folder, error) from error
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _hold(folder: Path) -> tuple[int, bool]:
    """Return a descriptor that locks the folder which has this name now, and whether a killed process had made the folder."""
    import fcntl  # noqa: PLC0415 - not there on Windows, where nothing calls this

    while True:
        try:
            left = _made(folder)
            descriptor = _open(folder)
            if descriptor is None:
                continue
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        except OSError as error:
            raise _unusable(folder, error) from error
        # Whoever held it before has removed it; then the lock is on a folder without a name.
        if _is_at(descriptor, folder):
            return descriptor, left
        os.close(descriptor)


def _made(folder: Path) -> bool:
    """Make a folder; tell whether it was there."""
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        return True
    return False


def _open(folder: Path) -> int | None:
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    if os.fstat(descriptor).st_uid != os.geteuid():
        os.close(descriptor)
        msg = "it belongs to another user"
        raise PermissionError(msg)
    return descriptor


def _is_at(descriptor: int, folder: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), folder.lstat())
    except FileNotFoundError:
        return False


def _empty(folder: Path) -> None:
    for entry in folder.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def _check_target(target: Path) -> None:
    if not target.parent.is_dir():
        msg = f"the folder of the output does not exist: {target.parent}"
        raise StorageError(msg, fix="make the folder, or give another output")
    if target.exists() and not target.is_file():
        msg = f"the output is there and is no regular file: {target}"
        raise StorageError(msg, fix="give another output")


def _place(stage: Stage, target: Path) -> None:
    product = stage.folder / stage.name
    if not product.is_file():
        msg = f"the tool ended without an error, but wrote no {target}"
        raise TVMError(msg, fix="take out the options that keep it from writing its output")
    beside = sorted(entry for entry in stage.folder.iterdir() if entry.is_file() and entry != product)
    try:
        for entry in beside:
            entry.replace(target.with_name(entry.name))
        product.replace(target)
    except OSError as error:
        raise _unusable(target, error) from error


def _unusable(path: Path, error: OSError) -> StorageError:
    return StorageError(f"cannot write {path}: {error.strerror or error}", fix="remove it, or give another output")
