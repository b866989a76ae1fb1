"""Loaded by a Python that goes by a wrong clock: it sleeps for a time, not until a moment (see tests.e2e.clock)."""

import select
import time


def _sleep(seconds: float, /) -> None:
    select.select([], [], [], seconds)


time.sleep = _sleep
