"""Which command-line family the host belongs to. Asked at call time."""

import sys


def is_linux_like() -> bool:
    """Tell whether compilers take GNU command lines here: Linux, macOS, FreeBSD."""
    return sys.platform == "darwin" or sys.platform.startswith(("linux", "freebsd"))


def is_darwin() -> bool:
    """Tell whether the host is macOS."""
    return sys.platform == "darwin"


def is_windows_like() -> bool:
    """Tell whether the host is Windows."""
    return sys.platform == "win32"
