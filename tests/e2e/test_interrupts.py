"""Ctrl-C, SIGTERM and SIGHUP at every step of a run, on a terminal: no container stays, the last good result does."""

import signal
import threading
import time
from collections.abc import Callable

import pytest

from tests.e2e.engine import Containers
from tests.e2e.project import MATRIX, NOX, Project, whole
from tests.e2e.terminal import Ended, Terminal, processes
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
    "check": r"check_pack\.py",
    "collect": r"archive\?path=%2Fout",
    "remove": r"DELETE /\S*/containers/tvm-matrix-one",
}
# A step that never ends by itself. The shell makes the word, so that the step's own text does not hold it.
SLOW_STEP = "RUN echo e2e-$((40 + 2)) && sleep 600\n"
TEN_MOMENTS = ["begin", "connect", "build", "create", "put", "probe", "check", "collect", "remove", "swap"]
# nox tells every failure by 1; a run that was told to end before it could answer ends by the signal itself.
EXITS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
ENDS = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "sigterm"])
LIMIT = 120.0


@ENDS
@pytest.mark.parametrize("moment", TEN_MOMENTS)
def test_nox_is_interrupted(
    moment: str, number: signal.Signals, project: Project, wire: Wire, containers: Containers
) -> None:
    ended = interrupted([*NOX, "-s", "one"], moment, number, project, wire)
    assert ended.code != 0
    if moment != "begin":
        assert "tvm-matrix: interrupted" in ended.output
    assert containers.left() == []


@ENDS
@pytest.mark.parametrize("moment", TEN_MOMENTS)
def test_nox_with_two_cells_at_once_is_interrupted(
    moment: str, number: signal.Signals, project: Project, wire: Wire, containers: Containers
) -> None:
    ended = interrupted([*NOX, "-j", "2", "-s", "one", "two"], moment, number, project, wire)
    assert ended.code != 0
    assert containers.left() == []


@ENDS
@pytest.mark.parametrize("moment", [*ON_THE_WIRE, "swap"])
def test_a_run_that_is_interrupted_says_so_by_its_exit_code(
    moment: str, number: signal.Signals, project: Project, wire: Wire, containers: Containers
) -> None:
    ended = interrupted([*MATRIX, "run", "one"], moment, number, project, wire)
    assert ended.code == EXITS[number]
    assert "tvm-matrix: interrupted" in ended.output
    assert "Traceback" not in ended.output
    assert containers.left() == []


def test_a_terminal_that_is_closed_ends_the_run(project: Project, wire: Wire, containers: Containers) -> None:
    ended = interrupted([*MATRIX, "run", "one"], "check", signal.SIGHUP, project, wire)
    assert ended.code == EXITS[signal.SIGHUP]
    assert containers.left() == []


def test_a_second_signal_changes_nothing(project: Project, wire: Wire, containers: Containers) -> None:
    """The second one comes while the box is being removed."""
    begun = _Begun()
    wire.at(ON_THE_WIRE["check"], lambda: begun.send(signal.SIGINT))
    wire.at(ON_THE_WIRE["remove"], lambda: begun.send(signal.SIGTERM))
    begun.terminal = Terminal(project, [*MATRIX, "run", "one"])
    ended = begun.terminal.finish(LIMIT)
    assert len(wire.seen) == 2
    assert ended.code == EXITS[signal.SIGINT]
    assert containers.left() == []


def interrupted(argv: list[str], moment: str, number: signal.Signals, project: Project, wire: Wire) -> Ended:
    """Run, send the signal at the moment, and return how the run ended. What must hold at every moment is checked here."""
    before = project.kept()
    # The new result has other bytes, so that it can be told from the one before.
    project.edit("tests/matrix/check_pack.py", '"a note', '"another note')
    if moment == "build":
        project.edit("images/small/Dockerfile", "USER root\n", f"USER root\n{SLOW_STEP}")
    begun = _Begun()
    if moment in ON_THE_WIRE:
        wire.at(ON_THE_WIRE[moment], lambda: begun.send(number))
    begun.terminal = Terminal(project, argv)
    if moment not in ON_THE_WIRE:
        manifest = before["one"]["manifest.json"]
        conditions = {"begin": lambda: _runner_is_there(project), "swap": lambda: _result_is_whole(project, manifest)}
        _when(conditions[moment], begun, number)
    ended = begun.terminal.finish(LIMIT)
    assert begun.sent, f"the moment did not come:\n{ended.output}"
    assert ended.left == []
    for cell in ("one", "two", "three"):
        old, now = before[cell], project.kept()[cell]
        # Cell two runs beside cell one and may have come to its end; at the swap cell one may as well.
        assert now == old or ((cell == "two" or moment == "swap") and whole(now))
    assert project.half_made() == []
    return ended


class _Begun:
    """The terminal of a run, for whoever sends it a signal before it is known."""

    def __init__(self) -> None:
        self._ready = threading.Event()
        self._terminal: Terminal | None = None
        self.sent = False

    @property
    def terminal(self) -> Terminal:
        self._ready.wait(LIMIT)
        assert self._terminal is not None
        return self._terminal

    @terminal.setter
    def terminal(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._ready.set()

    def send(self, number: signal.Signals) -> None:
        self.terminal.send(number)
        self.sent = True


def _when(condition: Callable[[], bool], begun: _Begun, number: signal.Signals) -> None:
    """Send the signal as soon as the condition holds."""

    def watch() -> None:
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            if condition():
                begun.send(number)
                return
            time.sleep(0.0005)

    threading.Thread(target=watch, daemon=True).start()


def _runner_is_there(project: Project) -> bool:
    """Whether nox has started the runner, which has not asked for anything yet."""
    return any("-m tvm.matrix run one" in line for line in processes(project.root).values())


def _result_is_whole(project: Project, old: bytes) -> bool:
    """Whether the new result lies beside the old one with its manifest, or has just been swapped in."""
    manifest = project.results / "one" / "manifest.json"
    return any(project.results.glob("one.new-*/manifest.json")) or (manifest.is_file() and manifest.read_bytes() != old)
