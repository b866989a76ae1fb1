"""The steps of a run at which a fault can strike, and a signal that is sent at one of them."""

import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from filelock import FileLock

from tests.e2e.project import LIMIT, Project, whole
from tests.e2e.terminal import Ended, Terminal
from tests.e2e.wire import Wire

# What passes to or from the engine at each step. A run of cell `one` meets each of these.
ON_THE_WIRE = {
    "connect": r"GET /version",
    "look": r"create\?name=tvm-matrix-inventory",
    "build": r"e2e-42",
    "create": r"create\?name=tvm-matrix-one",
    "start": r"containers/tvm-matrix-one[^/]*/start",
    "put": r"PUT /\S*/containers/tvm-matrix-one",
    "probe": r'"tar", "--version"',
    # In quotes: the tree, which passes before, holds the name as well.
    "check": r'"tests/matrix/check_pack\.py"',
    "collect": r"archive\?path=%2Fout",
    "remove": r"DELETE /\S*/containers/tvm-matrix-one",
}
# The finished result lies beside the old one and waits for its turn.
SWAP = "swap"
# A step that never ends by itself. The shell makes the word, so that the step's own text does not hold it.
SLOW_STEP = "USER root\nRUN echo e2e-$((40 + 2)) && sleep 600\n"


@dataclass(kw_only=True)
class Shot:
    """A signal for a run that is started afterwards."""

    number: signal.Signals
    sent: bool = False
    _ready: threading.Event = field(default_factory=threading.Event)
    _terminal: list[Terminal] = field(default_factory=list)

    def aim(self, terminal: Terminal) -> None:
        """Tell which run it is for."""
        self._terminal.append(terminal)
        self._ready.set()

    def fire(self) -> None:
        """Send it."""
        self._ready.wait(LIMIT)
        self._terminal[0].send(self.number)
        self.sent = True


def interrupt(argv: list[str], moment: str, number: signal.Signals, project: Project, wire: Wire) -> Ended:
    """Run, send the signal at the moment, and return how the run ended. What must hold at every moment is checked here."""
    before = project.kept()
    # The new result has other bytes, so that it can be told from the one before.
    project.edit("tests/matrix/check_pack.py", '"a note', '"another note')
    if moment == "build":
        project.edit("images/small/Dockerfile", "USER root\n", SLOW_STEP)
    shot = Shot(number=number)
    if moment == SWAP:
        _at_the_swap(project, wire, shot)
    else:
        wire.at(ON_THE_WIRE[moment], shot.fire)
    terminal = Terminal(project, argv)
    shot.aim(terminal)
    ended = terminal.finish(LIMIT)
    assert shot.sent, f"the moment did not come:\n{ended.output}"
    assert ended.left == []
    after = project.kept()
    assert (after["one"], after["three"]) == (before["one"], before["three"])
    # Where it runs beside cell one it may have come to its end.
    assert after["two"] == before["two"] or whole(after["two"])
    assert project.half_made() == []
    return ended


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait until the condition holds."""
    end = time.monotonic() + LIMIT
    while not condition() and time.monotonic() < end:
        time.sleep(0.005)


def _at_the_swap(project: Project, wire: Wire, shot: Shot) -> None:
    """Hold the lock of the results from the time that the cell has run, and fire when it waits for the lock."""
    # It is taken in one thread and let go in another.
    lock = FileLock(project.results / ".lock", thread_local=False)

    def staged() -> bool:
        return any(project.results.glob("one.new-*/manifest.json"))

    def watch() -> None:
        with lock:
            held.set()
            wait_until(staged)
            shot.fire()
            wait_until(lambda: not staged())

    def hold() -> None:
        threading.Thread(target=watch, daemon=True).start()
        held.wait(LIMIT)

    held = threading.Event()
    wire.at(ON_THE_WIRE["collect"], hold)
