"""Kills the program that started it."""

import os
import signal
import time


def test_it_kills_its_parent() -> None:
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(2)
