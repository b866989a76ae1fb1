"""Where the system's loader finds shared libraries: looked at, never loaded."""

import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

from tvm.support._there import is_file

_LINUX = ("/usr/local/lib", "/usr/lib64", "/lib64", "/usr/lib", "/lib")
_ANDROID = ("/system/lib64", "/system/lib")
_MAC = ("/usr/local/lib", "/opt/homebrew/lib", "/usr/lib")


def find(name: str) -> Path | None:
    """Return the file of a shared library by its bare name ("OpenCL"), with or without a version in the file name."""
    for folder in folders():
        hits = [folder / f"lib{name}.so", *sorted(folder.glob(f"lib{name}.so.*")), folder / f"lib{name}.dylib"]
        if sys.platform == "win32":
            hits = [folder / f"{name}.dll"]
        if hit := next(filter(is_file, hits), None):
            return hit
    return None


def folders() -> Iterator[Path]:
    """Yield the folders in the loader's order: those that the environment names, then the system's."""
    variable = {"darwin": "DYLD_LIBRARY_PATH", "win32": "PATH"}.get(sys.platform, "LD_LIBRARY_PATH")
    named = os.environ.get(variable, "").split(os.pathsep)
    # An empty entry would mean the current directory.
    yield from (Path(entry) for entry in named if Path(entry).is_absolute())
    yield from map(Path, _MAC if sys.platform == "darwin" else _of_linux())


def _of_linux() -> Iterator[str]:
    multiarch = f"{platform.machine()}-linux-gnu"
    yield from (f"/usr/local/lib/{multiarch}", f"/usr/lib/{multiarch}", f"/lib/{multiarch}", *_LINUX, *_ANDROID)
