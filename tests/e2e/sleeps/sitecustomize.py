"""Loaded by a Python that goes by a wrong clock: it sleeps for a time, not until a moment (see tests.e2e.clock)."""

import select
import time
from typing import SupportsIndex


def _sleep(seconds: float | SupportsIndex, /) -> None:
    select.select([], [], [], float(seconds))


time.sleep = _sleep
