"""Finds apache-tvm, which provides the same package: of two distributions in one environment one hides the other."""

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

# Where installers put distributions; Debian's Python says dist-packages.
_FOLDERS = (f"{os.sep}site-packages", f"{os.sep}dist-packages")
# Not apache_tvm_ffi-*: that is another project, and this one needs it.
_PREFIX, _SUFFIX = "apache_tvm-", ".dist-info"


def installed() -> "Path | None":
    """Return the metadata folder of apache-tvm in an installation folder of `sys.path`, or None.

    Every `import tvm` asks, so it only lists these folders (0.2 ms): to import importlib.metadata alone takes longer.
    """
    # str: programs put Path objects there, which Python itself passes over.
    folders = (folder for folder in map(str, sys.path) if folder.endswith(_FOLDERS))
    found = next((name for folder in folders for name in _names(folder)), None)
    if found is None:
        return None
    from pathlib import Path  # noqa: PLC0415 - to import it takes longer than the search

    return Path(found)


def sentence(found: "Path") -> str:
    """Return what to tell the user of the folder that `installed` has found."""
    return (
        f"apache-tvm is installed in the same environment ({found}) and provides the package `tvm` as tvm-matrix does: "
        "install each of them in an environment of its own"
    )


def _names(folder: str) -> list[str]:
    with suppress(OSError), os.scandir(folder) as entries:
        names = (entry.path for entry in entries if entry.name.startswith(_PREFIX) and entry.name.endswith(_SUFFIX))
        return sorted(names)
    return []
