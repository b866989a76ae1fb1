"""Temporary directories, file locks and the search for programs."""

import atexit
import errno
import os
import re
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, ClassVar

from tvm.error import TVMError
from tvm.support import _stale
from tvm.support._lock import FileLock
from tvm.support._there import is_file, is_folder

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = [
    "DirectoryCreatedPastAtExit",
    "FileLock",
    "StrPath",
    "TempDirectory",
    "filelock",
    "is_file",
    "is_folder",
    "is_source_path",
    "search_path",
    "tempdir",
    "which",
]

StrPath = str | os.PathLike[str]

# How the name of every temporary directory begins: what a killed process left behind is swept by it.
_PREFIX = "tvm-tmp-"
_ON_WINDOWS = os.name == "nt"
_SUFFIX = re.compile(r"\.[A-Za-z0-9_+-]+$")


class DirectoryCreatedPastAtExit(TVMError):
    """A TempDirectory was asked for after the exit hook had removed them all."""


class TempDirectory:
    """A directory that is removed with its object, at the end of its `with` block, or at exit, by the process that made it.

    A process that is killed leaves its directories behind; the first one made by a later process of the same user sweeps
    those older than an hour whose owner is gone (`tvm.support._stale`).
    """

    # The directories to remove at exit; None once the exit hook has run.
    TEMPDIRS: ClassVar[set[str] | None] = set()
    _KEEP_FOR_DEBUG: ClassVar[bool] = False
    _NUM_TEMPDIR_CREATED: ClassVar[int] = 0
    _DEBUG_PARENT_DIR: ClassVar[str | None] = None
    # Reentrant: the collector may run __del__ while this thread holds it.
    _LOCK: ClassVar[threading.RLock] = threading.RLock()
    _SWEPT: ClassVar[bool] = False

    # What __del__ sees when the constructor did not finish.
    _removed = True
    _hold: int | None = None

    def __init__(self, custom_path: StrPath | None = None, keep_for_debug: bool | None = None) -> None:  # noqa: FBT001 - the seed's signature
        """Make the directory: at `custom_path` (must not exist), else under the system's folder for temporary files.

        `keep_for_debug` (None: as `set_keep_for_debug` says) makes it under `tvm-debug-mode-tempdirs` and never removes it.
        """
        cls = type(self)
        self._keep = cls._KEEP_FOR_DEBUG if keep_for_debug is None else keep_for_debug
        self._owner = os.getpid()
        with cls._LOCK:
            if TempDirectory.TEMPDIRS is None:
                msg = "a temporary directory was asked for after the exit hook had run"
                raise DirectoryCreatedPastAtExit(msg, fix="make it before the interpreter exits")
            self.temp_dir = self._make(custom_path)
            self._removed = False
            if not self._keep:
                TempDirectory.TEMPDIRS.add(self.temp_dir)

    def _make(self, custom_path: StrPath | None) -> str:
        if custom_path is not None:
            # Absolute, so that a later chdir cannot make it name another directory.
            folder = Path(custom_path).absolute()
            folder.mkdir()
            return str(folder)
        if self._keep:
            return self._make_kept()
        if not TempDirectory._SWEPT:
            TempDirectory._SWEPT = True
            _stale.sweep(Path(tempfile.gettempdir()), _PREFIX)
        made = tempfile.mkdtemp(prefix=_PREFIX)
        try:
            self._hold = _stale.hold(made)
        except OSError:
            Path(made).rmdir()
            raise
        return made

    @classmethod
    def _make_kept(cls) -> str:
        if TempDirectory._DEBUG_PARENT_DIR is None:
            root = Path(tempfile.gettempdir(), "tvm-debug-mode-tempdirs")
            root.mkdir(exist_ok=True)
            stamp = datetime.now().astimezone().strftime("%Y-%m-%dT%H-%M-%S___")
            TempDirectory._DEBUG_PARENT_DIR = tempfile.mkdtemp(prefix=stamp, dir=root)
        folder = Path(TempDirectory._DEBUG_PARENT_DIR, f"{TempDirectory._NUM_TEMPDIR_CREATED:05d}")
        TempDirectory._NUM_TEMPDIR_CREATED += 1
        folder.mkdir()
        return str(folder)

    @property
    def path(self) -> Path:
        """The directory as a Path."""
        return Path(self.temp_dir)

    def __truediv__(self, other: StrPath) -> Path:
        """Return the path of `other` inside the directory."""
        if not isinstance(other, str | Path):
            msg = f"'/' needs a str or a Path on its right, not {type(other).__name__}: {other!r}"
            raise TypeError(msg)
        return self.path / other

    def relpath(self, name: StrPath) -> str:
        """Return the path of `name` inside the directory."""
        return str(self.path / name)

    def listdir(self) -> list[str]:
        """Return the names in the directory, sorted. FileNotFoundError after `remove`."""
        if self._removed:
            msg = "the temporary directory was removed"
            raise FileNotFoundError(errno.ENOENT, msg, self.temp_dir)
        return sorted(entry.name for entry in self.path.iterdir())

    def remove(self) -> None:
        """Remove the directory; a second call does nothing. In a forked child it only forgets the parent's directory."""
        with self._LOCK:
            removed, self._removed = self._removed, True
            hold, self._hold = self._hold, None
        if removed:
            return
        if not self._keep and self._owner == os.getpid():
            shutil.rmtree(self.temp_dir, ignore_errors=True)
            with self._LOCK:
                (TempDirectory.TEMPDIRS or set()).discard(self.temp_dir)
        if hold is not None:
            os.close(hold)

    def __enter__(self) -> "Self":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()

    def __del__(self) -> None:
        # At the interpreter's end the modules that remove() needs may be gone; the exit hook has done its work by then.
        with suppress(AttributeError, ImportError, TypeError):
            self.remove()

    @classmethod
    def remove_tempdirs(cls) -> None:
        """Remove every directory that is left; none can be made afterwards. A second call does nothing."""
        with cls._LOCK:
            left, TempDirectory.TEMPDIRS = TempDirectory.TEMPDIRS, None
        for folder in sorted(left or ()):
            shutil.rmtree(folder, ignore_errors=True)

    @classmethod
    @contextmanager
    def set_keep_for_debug(cls, set_to: bool = True) -> Iterator[None]:  # noqa: FBT001, FBT002 - the seed's signature
        """Keep (or, with False, remove) the directories made in the block; the setting before it returns at its end."""
        before = TempDirectory._KEEP_FOR_DEBUG
        try:
            TempDirectory._KEEP_FOR_DEBUG = set_to
            yield
        finally:
            TempDirectory._KEEP_FOR_DEBUG = before

    @classmethod
    def _start_child(cls) -> None:
        # A forked child owns none of its parent's directories; the lock may be held by a thread that it does not have.
        TempDirectory._LOCK = threading.RLock()
        TempDirectory._DEBUG_PARENT_DIR = None
        TempDirectory._NUM_TEMPDIR_CREATED = 0
        if TempDirectory.TEMPDIRS is not None:
            TempDirectory.TEMPDIRS = set()


atexit.register(TempDirectory.remove_tempdirs)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=TempDirectory._start_child)  # noqa: SLF001 - part of the class


def tempdir(custom_path: StrPath | None = None, keep_for_debug: bool | None = None) -> TempDirectory:  # noqa: FBT001 - the seed's signature
    """Make a temporary directory (see TempDirectory)."""
    return TempDirectory(custom_path=custom_path, keep_for_debug=keep_for_debug)


def filelock(path: StrPath, *, timeout: float | None = None) -> FileLock:
    """Take the lock on `path` (see FileLock)."""
    return FileLock(path, timeout=timeout)


def is_source_path(path: StrPath) -> bool:
    """Tell a path from the source text itself: what exists is a path, and so is one line that ends like a file name."""
    if not isinstance(path, str) or _exists(path):
        return True
    if any(char in path for char in "\n\r;{}") or path.lstrip().startswith(("#", "//", "/*")):
        return False
    return _SUFFIX.search(path) is not None


def _exists(path: str) -> bool:
    # Source text may be longer than a file name, or hold what no file name may. Path("") would be the current directory.
    try:
        Path(path).lstat()
    except (OSError, ValueError):
        return False
    return path != ""


def search_path(path: str | None = None) -> tuple[str, ...]:
    """Return the folders of PATH (or of `path`) in order, each once.

    Empty and relative entries are dropped: they would mean the current directory, where anyone may have put a program.
    """
    value = os.environ.get("PATH", os.defpath) if path is None else path
    return tuple(dict.fromkeys(entry for entry in value.split(os.pathsep) if Path(entry).is_absolute()))


def which(exec_name: StrPath, *, path: str | None = None) -> str | None:
    """Return the absolute path of a program, or None: an absolute name as it is, a plain one from PATH (or `path`).

    A relative name with a separator is never found: it would depend on the current directory.
    """
    name = os.fspath(exec_name)
    if Path(name).is_absolute():
        places = [name]
    elif Path(name).name == name:
        places = [str(Path(folder, name)) for folder in search_path(path)]
    else:
        places = []
    spelled = (place + suffix for place in places for suffix in _program_suffixes(name))
    return next((place for place in spelled if is_file(place) and os.access(place, os.X_OK)), None)


def _program_suffixes(name: str) -> list[str]:
    # Windows: a name without one of the known suffixes gets each of them in turn.
    if not _ON_WINDOWS:
        return [""]
    known = [suffix for suffix in os.environ.get("PATHEXT", ".COM;.EXE;.BAT;.CMD").split(";") if suffix]
    return [""] if name.upper().endswith(tuple(suffix.upper() for suffix in known)) else known
