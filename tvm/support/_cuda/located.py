"""Which NVRTC is used, and the headers that go with it, without loading the library when that was found out before."""

import ctypes
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from tvm.support._cache import memo, states
from tvm.support._cache.memo import Watched
from tvm.support._cache.states import State
from tvm.support._cuda import bindings, paths

# What decides which library is loaded and which toolkit is the first, beside sys.path.
_VARIABLES = ("CUDA_PATH", "CUDA_HOME", "CONDA_PREFIX", "LD_LIBRARY_PATH", "PATH")
_SONAMES = (b"libnvrtc.so.13", b"libnvrtc.so.12")


@dataclass(frozen=True, kw_only=True)
class Located:
    """NVRTC's file, its version, and the folders of the headers that go with it (None: they were not found, or not sought)."""

    library: str
    version: tuple[int, int]
    includes: tuple[Path, ...] | None


def nvrtc(*, includes: bool) -> Located:
    """Return NVRTC, with its headers if `includes` are wanted. ToolNotFound without NVRTC."""
    value = memo.remembered("nvrtc", [includes, *_surroundings()], lambda: _found(includes=includes))
    library, version, folders = value
    if _is_loaded() and bindings.path("nvrtc") != library:
        # Another part of this process has chosen another library: what is loaded is what compiles.
        return _asked(includes=includes)
    return Located(
        library=library, version=(version[0], version[1]), includes=None if folders is None else _paths(tuple(folders))
    )


@lru_cache(maxsize=8)
def _paths(folders: tuple[str, ...]) -> tuple[Path, ...]:
    return tuple(map(Path, folders))


def _asked(*, includes: bool) -> Located:
    code, *numbers = bindings.load("nvrtc").nvrtcVersion()
    version = (int(numbers[0]), int(numbers[1])) if int(code) == 0 else (0, 0)
    toolkit = paths.for_version(version) if includes else None
    return Located(
        library=bindings.path("nvrtc"), version=version, includes=toolkit.includes if toolkit is not None else None
    )


def _found(*, includes: bool) -> tuple[Any, Watched | None]:
    located = _asked(includes=includes)
    folders = None if located.includes is None else [str(folder) for folder in located.includes]
    value = [located.library, list(located.version), folders]
    in_wheel = any(located.library.startswith(f"{entry}{os.sep}nvidia{os.sep}") for entry in _absolute())
    # A library of the system is found by rules that cannot be watched; headers that are missing may be installed any moment.
    if not in_wheel or (includes and folders is None):
        return value, None
    return value, lambda: _watched(located.library, includes=includes)


def _watched(library: str, *, includes: bool) -> Iterator[State]:
    yield states.seen(library)
    for entry in _absolute():
        packages = [Path(entry, name) for name in ("nvidia", "cuda")]
        if any(package.is_dir() for package in packages):
            yield states.names(entry)
        yield from (states.names(str(package)) for package in packages)
    if includes:
        yield from map(states.any_of, map(str, paths.watched()))


def _absolute() -> list[str]:
    return [entry for entry in dict.fromkeys(sys.path) if Path(entry).is_absolute()]


def _surroundings() -> list[Any]:
    relative = not all(entry.startswith(os.sep) for entry in sys.path)
    said = [os.environ.get(name, "") for name in _VARIABLES]
    return [said, sys.path, sys.prefix, str(Path.cwd()) if relative else ""]


def _is_loaded() -> bool:
    if "cuda.bindings.nvrtc" in sys.modules:
        return True
    if not hasattr(os, "RTLD_NOLOAD"):
        return True
    return any(_open()(name, os.RTLD_NOLOAD | os.RTLD_NOW) for name in _SONAMES)


@lru_cache(maxsize=1)
def _open() -> Callable[[bytes, int], int | None]:
    """Return the loader's own function: ctypes makes a class for each library, which takes longer than all the rest of a hit."""
    loader = ctypes.CDLL(None).dlopen
    loader.restype = ctypes.c_void_p
    loader.argtypes = [ctypes.c_char_p, ctypes.c_int]
    return cast("Callable[[bytes, int], int | None]", loader)
