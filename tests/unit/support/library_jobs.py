"""Functions that a library call may run: here, and in a child process, which imports them by name."""

import os
import sys
import time
from pathlib import Path

from tvm.error import ToolNotFound
from tvm.support.library import Outcome


def outcome(code: int = 0, log: str = "", **products: bytes) -> Outcome:
    """Return an outcome of the library that this file stands for."""
    return Outcome(code=code, log=log, path=str(Path(__file__)), version="1.2", products=products)


def double(text: str) -> Outcome:
    return outcome(
        product=text.encode() * 2, process=str(os.getpid()).encode(), path=os.pathsep.join(sys.path).encode()
    )


def fail(log: str) -> Outcome:
    return outcome(6, log)


def hang(seconds: float) -> Outcome:
    time.sleep(seconds)
    return outcome()


def die(code: int) -> Outcome:
    os._exit(code)


def miss(name: str) -> Outcome:
    msg = f"no {name}"
    raise ToolNotFound(msg, fix="install it")
