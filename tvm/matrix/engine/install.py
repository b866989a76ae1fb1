"""Install what an engine of our own needs, on Debian and Ubuntu."""

import os
import platform
from collections.abc import Callable

from tvm.error import CompileError, EngineError
from tvm.matrix.engine.printed import last_lines
from tvm.support import process
from tvm.support.utils import which

# Program -> the Debian package that has it.
_PACKAGES = {"dockerd": "docker.io", "ip": "iproute2", "mmdebstrap": "mmdebstrap"}
_OPTIONAL = frozenset({"mmdebstrap"})
# Where root's programs lie; `su` without a dash leaves them off PATH.
_SYSTEM_FOLDERS = ("/usr/local/sbin", "/usr/sbin", "/sbin")
_FAMILY = frozenset({"debian", "ubuntu"})
# Seconds for one apt-get, and for another apt-get or dpkg to end first.
_LIMIT = 1800.0
_LOCK_LIMIT = 300
_SHOWN_LINES = 30


def environment() -> dict[str, str]:
    """Return the environment of root's programs: ours, with the system's folders on PATH."""
    path = os.pathsep.join([*os.environ.get("PATH", "").split(os.pathsep), *_SYSTEM_FOLDERS])
    return {**os.environ, "PATH": path}


def missing() -> list[str]:
    """Return the programs that are not there, in a fixed order."""
    path = environment()["PATH"]
    return [program for program in _PACKAGES if which(program, path=path) is None]


def is_debian() -> bool:
    """Say whether this is Debian, Ubuntu, or a system that calls itself like one."""
    try:
        told = platform.freedesktop_os_release()
    except OSError:
        return False
    return bool(_FAMILY & {told.get("ID", ""), *told.get("ID_LIKE", "").split()})


def install(report: Callable[[str], None]) -> bool:
    """Install what is missing; return whether dockerd was among it. Where that cannot be done: an EngineError with what to do."""
    absent = missing()
    if not absent:
        return False
    if not is_debian():
        needed = [program for program in absent if program not in _OPTIONAL]
        if not needed:
            return False
        msg = f"no container engine answers, and to start one {' and '.join(needed)} must be installed"
        raise EngineError(msg, fix="install Docker or Podman as your system does, and start it")
    packages = [_PACKAGES[program] for program in absent]
    report(f"{', '.join(absent)} missing: installing {', '.join(packages)} with apt-get")
    _apt("update", "-q")
    _apt("install", "-q", "-y", "--no-install-recommends", *packages)
    return "dockerd" in absent


def _apt(command: str, *arguments: str) -> None:
    options = ["-o", f"DPkg::Lock::Timeout={_LOCK_LIMIT}", "-o", "Acquire::Retries=3"]
    quiet = {**environment(), "DEBIAN_FRONTEND": "noninteractive"}
    try:
        process.run(["apt-get", *options, command, *arguments], heading="apt-get failed", env=quiet, timeout=_LIMIT)
    except CompileError as error:
        tail = last_lines(error.output, _SHOWN_LINES)
        msg = f"no container engine answers, and apt-get {command} failed:\n{tail}"
        raise EngineError(msg, fix="mend apt (network, proxy, sources), or install docker.io and start it") from error
