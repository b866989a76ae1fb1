"""Never ends, and hears no signal that can be ignored."""

import signal
import time


def test_it_never_ends() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        time.sleep(1)
