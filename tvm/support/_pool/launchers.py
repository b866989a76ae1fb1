"""Which way to start workers this system has."""

import os

from tvm.support._pool.processes import Launcher


def launcher() -> Launcher:
    """Return what starts and ends the workers of one pool here."""
    if os.name == "nt":
        from tvm.support._pool.windows import WindowsLauncher  # noqa: PLC0415 - Windows alone has what it needs

        return WindowsLauncher()
    from tvm.support._pool.posix import PosixLauncher  # noqa: PLC0415 - Windows has not what it needs

    return PosixLauncher()
