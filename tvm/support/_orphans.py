"""Tools that outlive a builder that was killed: they would go on writing where the next one builds.

Nothing ends a tool together with its killed parent: PDEATHSIG fires when the starting thread ends, and a lock that the tool
inherits is also inherited by daemons that it leaves behind. So whoever takes over a folder of a killed builder ends them.
"""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_PROCESSES = Path("/proc")
# A tool that was about to start when its builder was killed shows a moment later; in seconds.
_PAUSE = 0.01
_LOOKS = 3


def end(folder: Path) -> None:
    """End this user's programs whose command line names something in `folder`. The caller holds the lock on it.

    Where there is no /proc nothing is ended.
    """
    for look in range(_LOOKS):
        if look:
            time.sleep(_PAUSE)
        for found in _writers(folder):
            _end(found)


def _writers(folder: Path) -> Iterator[int]:
    if not _PROCESSES.is_dir():
        return
    name, own = os.fsencode(folder.name), os.getpid()
    for process in _PROCESSES.iterdir():
        # Others' processes, and those that have just ended, cannot be looked at.
        with suppress(OSError):
            if process.name.isdigit() and int(process.name) != own:
                words = (process / "cmdline").read_bytes()
                if name in words and _names(process, words.split(b"\0"), folder):
                    yield int(process.name)


def _names(process: Path, words: list[bytes], folder: Path) -> bool:
    if process.stat().st_uid != os.getuid():
        return False
    here = (process / "cwd").readlink()
    spelled = (os.fsdecode(word) for word in words if word)
    # "-o" and its like may be part of the word.
    places = (word[word.find("=") + 1 :] if "=" in word else word for word in spelled)
    return any((here / place).parent.resolve() == folder.resolve() for place in places)


def _end(process: int) -> None:
    with suppress(OSError):
        group = os.getpgid(process)
        # Each tool leads a session and a group of its own (`tvm.support.process`).
        if group == os.getsid(process) != os.getsid(0):
            os.killpg(group, signal.SIGKILL)
        else:
            os.kill(process, signal.SIGKILL)
