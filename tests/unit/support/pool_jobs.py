"""Tasks for the tests of the pool: a worker imports this module, and so it imports little."""

import ctypes
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import NoReturn


class TwoArgumentsError(Exception):
    """Its constructor wants other arguments than those that it gives to Exception's."""

    def __init__(self, first: int, second: int) -> None:
        super().__init__(f"{first} and {second}")
        self.first, self.second = first, second


class UnpicklableError(Exception):
    """It holds what cannot be pickled."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.lock = threading.Lock()


class LoadsOnlyAtHome:
    """Its pickle cannot be loaded in another process than the one that made it."""

    def __init__(self) -> None:
        self.home = os.getpid()

    def __reduce__(self) -> tuple[object, ...]:
        return load_at_home, (self.home,)


def load_at_home(home: int) -> LoadsOnlyAtHome:
    if os.getpid() != home:
        msg = "far from home"
        raise ValueError(msg)
    return LoadsOnlyAtHome()


class LoadsIn:
    """It takes its time to be loaded; then it is 1."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __reduce__(self) -> tuple[object, ...]:
        return load_in, (self.seconds,)


def load_in(seconds: float) -> int:
    time.sleep(seconds)
    return 1


def fail(error: BaseException) -> NoReturn:
    raise error


def fail_with_two() -> None:
    try:
        int("x")
    except ValueError as cause:
        error = TwoArgumentsError(1, 2)
        error.third = 3  # type: ignore[attr-defined] # an attribute of this one alone
        raise error from cause


def fail_unpicklably() -> NoReturn:
    msg = "with a lock"
    raise UnpicklableError(msg)


def lock() -> object:
    return threading.Lock()


def touch_and_sleep(path: str, seconds: float) -> str:
    Path(f"{path}.new").write_text(str(os.getpid()), encoding="ascii")
    Path(f"{path}.new").replace(path)
    time.sleep(seconds)
    return path


def hold_gil(seconds: float) -> None:
    """Sleep in C without giving the lock of the interpreter back."""
    ctypes.PyDLL(None).usleep(int(seconds * 1e6))


def loop_in_c() -> None:
    re.match("(a+)+$", "a" * 60 + "b")


def block_signals() -> None:
    signal.pthread_sigmask(signal.SIG_SETMASK, range(1, signal.NSIG))
    time.sleep(60)


_GRANDCHILD = "import os, time; os.setsid(); time.sleep(60)"
_DAEMON = (
    "import os, subprocess, sys, time\n"
    f"subprocess.Popen([sys.executable, '-ISc', {_GRANDCHILD!r}])\n"
    "if os.fork() == 0:\n"
    "    os.setsid()\n"
    "    if os.fork():\n"
    "        os._exit(0)\n"
    "time.sleep(60)\n"
)


def start_family(ready: str, seconds: float = 60.0) -> None:
    """Start a child, a grandchild with a session of its own and a daemon, leave a file, and sleep."""
    subprocess.Popen([sys.executable, "-ISc", _DAEMON])
    with tempfile.NamedTemporaryFile(delete=False) as file:
        file.write(b"left")
    Path(ready).write_text(tempfile.gettempdir(), encoding="utf-8")
    time.sleep(seconds)


def fork_for_ever() -> None:
    """Start processes, each with a session of its own, as fast as possible, which do the same."""
    code = "import os, time\nfor _ in range(5):\n    os.fork()\n    os.setsid() if os.getpid() != os.getsid(0) else None\ntime.sleep(60)"
    while True:
        subprocess.Popen([sys.executable, "-ISc", code])
        time.sleep(0.05)


def temp_file() -> str:
    handle, name = tempfile.mkstemp()
    os.close(handle)
    return name


def environment() -> dict[str, object]:
    """Tell what a worker has."""
    return {
        "path": list(sys.path),
        "cwd": str(Path.cwd()),
        "modules": sorted(sys.modules),
        "stdin": sys.stdin.read(),
        "session": os.getsid(0) == os.getpid(),
        "autoload": os.environ.get("TVM_DEVICE_BACKEND_AUTOLOAD"),
        "optimize": sys.flags.optimize,
        "variable": os.environ.get("POOL_TEST"),
    }


def grow(size: int) -> int:
    globals()["_KEPT"] = bytearray(size)
    return os.getpid()


def nothing() -> None:
    """Do nothing."""


def identity(value: object) -> object:
    return value


def initialize(value: object) -> None:
    globals()["_VALUE"] = value


def initialized() -> object:
    return globals().get("_VALUE")


def pid_after(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def pid_once_there_are(count: int, folder: str) -> int:
    """Sign in to a folder, and wait until so many processes have."""
    (Path(folder) / str(os.getpid())).touch()
    while len(list(Path(folder).iterdir())) < count:
        time.sleep(0.05)
    return os.getpid()


def pid_once(path: str) -> int:
    """Wait until a file is there."""
    while not Path(path).exists():
        time.sleep(0.005)
    return os.getpid()


def crash() -> None:
    ctypes.string_at(0)


def kill_itself(number: int) -> None:
    os.kill(os.getpid(), number)
    time.sleep(60)
