"""A program on a terminal of its own, as a user's shell starts it."""

import os
import pty
import select
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.project import Project

_INTERRUPT = b"\x03"


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How a program on a terminal ended: its exit code (negative: the signal that ended it), its output, who outlived it."""

    code: int
    output: str
    left: list[str]


class Terminal:
    """A program with a controlling terminal. Ctrl-C reaches it and everything in its foreground group."""

    def __init__(self, project: Project, argv: list[str]) -> None:
        """Start `argv` in the project."""
        self._root = project.root.resolve()
        self._master, slave = pty.openpty()
        self._printed = bytearray()
        self._quiet = False
        try:
            # setsid makes the terminal the controlling one and becomes the program: the pid stays.
            self._child = subprocess.Popen(
                ["setsid", "--ctty", *argv],
                cwd=project.root,
                env=project.variables(),
                stdin=slave,
                stdout=slave,
                stderr=slave,
            )
        finally:
            os.close(slave)

    def send(self, number: signal.Signals) -> None:
        """Press Ctrl-C for SIGINT; send any other signal to the program, as `kill PID` does."""
        if number is signal.SIGINT:
            os.write(self._master, _INTERRUPT)
        else:
            with suppress(ProcessLookupError):
                os.kill(self._child.pid, number)

    def wait_for(self, text: str, limit: float) -> None:
        """Read until the program has printed a text."""
        end = time.monotonic() + limit
        while text.encode() not in self._printed:
            assert time.monotonic() < end, self._printed.decode(errors="replace")
            assert self._read(), self._printed.decode(errors="replace")

    def type(self, text: str) -> None:
        """Press keys."""
        os.write(self._master, text.encode())

    def _read(self) -> bool:
        """Read what is there; False once the last program on the terminal has gone."""
        self._quiet = not select.select([self._master], [], [], 0.1)[0]
        if not self._quiet:
            try:
                self._printed += os.read(self._master, 1 << 16)
            except OSError:
                return False
        return True

    def finish(self, limit: float) -> Ended:
        """Read to the end and return how it ended; one that is still there after `limit` seconds is killed, and named."""
        end = time.monotonic() + limit
        while time.monotonic() < end:
            if not self._read() or (self._quiet and self._child.poll() is not None):
                break
        with suppress(subprocess.TimeoutExpired):
            # The terminal is let go a little before the program is gone.
            self._child.wait(max(end - time.monotonic(), 0))
        left = processes(self._root)
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        code = self._child.wait()
        os.close(self._master)
        return Ended(code=code, output=self._printed.decode(errors="replace"), left=sorted(left.values()))


def processes(root: Path) -> dict[int, str]:
    """Return pid and command line of every program that runs in a folder, whatever session it is in."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (process / "cwd").readlink().is_relative_to(root):
                found[int(process.name)] = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
    return found
