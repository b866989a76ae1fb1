"""Handles of optional shared libraries that stand beside a backend."""

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tvm import _journal

if TYPE_CHECKING:
    import ctypes
    from collections.abc import Iterable

# Libraries that are open, by name. They stay open as long as the process lives, or until the load that opened them is undone.
_LOADED_LIBS: "dict[str, ctypes.CDLL]" = {}

_SUFFIX = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
_PREFIX = "" if sys.platform == "win32" else "lib"
_RUNTIME_ONLY = "TVM_USE_RUNTIME_LIB"
_LIBRARY_PATH = "TVM_LIBRARY_PATH"


def runtime_only() -> bool:
    """Say whether TVM_USE_RUNTIME_LIB asks for devices and tensors alone, without a compiler."""
    return switched_on(os.environ.get(_RUNTIME_ONLY, ""))


def switched_on(text: str) -> bool:
    """Read a switch of the environment: empty, 0, false, off and no, in any case, are off."""
    return text.strip().lower() not in {"", "0", "false", "off", "no"}


def file_name(name: str) -> str:
    """Return what this system calls the shared library `name`: libNAME.so on Linux."""
    return f"{_PREFIX}{name}{_SUFFIX}"


def load_optional_library(name: str, folders: "Iterable[Path]") -> bool:
    """Open a library where one of the folders or of TVM_LIBRARY_PATH has it, and say whether one is open now.

    It is opened RTLD_LOCAL and kept in `_LOADED_LIBS`. One that is absent or cannot be opened is passed over in silence: it is
    optional, and what needs it says so.
    """
    if name in _LOADED_LIBS:
        return True
    for path in _candidates(name, folders):
        with suppress(OSError):
            _open(name, path)
            return True
    return False


def _candidates(name: str, folders: "Iterable[Path]") -> list[Path]:
    asked = [Path(entry) for entry in os.environ.get(_LIBRARY_PATH, "").split(os.pathsep)]
    paths = [folder / file_name(name) for folder in (*folders, *asked) if folder.is_absolute()]
    return [path for path in paths if path.is_file()]


def _open(name: str, path: Path) -> None:
    import ctypes  # noqa: PLC0415 - most loads find no library, and it takes longer than the search

    library = ctypes.CDLL(str(path), mode=ctypes.RTLD_LOCAL)
    _LOADED_LIBS[name] = library
    _journal.record(lambda: _close(name, library))


def _close(name: str, library: "ctypes.CDLL") -> None:
    import _ctypes  # noqa: PLC0415 - see _open

    if _LOADED_LIBS.get(name) is library:
        del _LOADED_LIBS[name]
        _ctypes.dlclose(library._handle)  # noqa: SLF001 - ctypes has no public way to close a library
