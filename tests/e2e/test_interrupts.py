"""Ctrl-C, SIGTERM and SIGHUP at every step of a run, on a terminal: no container stays, the last good result does."""

import signal

import pytest

from tests.e2e.engine import Containers
from tests.e2e.moments import ON_THE_WIRE, SWAP, Shot, interrupt, wait_until
from tests.e2e.project import LIMIT, MATRIX, NOX, Project, whole
from tests.e2e.terminal import Terminal, processes
from tests.e2e.wire import Wire

TEN_MOMENTS = ["connect", "look", "build", "create", "put", "probe", "check", "collect", "remove", SWAP]
EXITS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
ENDS = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "sigterm"])


@ENDS
@pytest.mark.parametrize("moment", TEN_MOMENTS)
def test_nox_is_interrupted(
    moment: str, number: signal.Signals, project: Project, wire: Wire, containers: Containers
) -> None:
    ended = interrupt([*NOX, "-s", "one"], moment, number, project, wire)
    assert ended.code != 0
    assert "tvm-matrix: interrupted" in ended.output
    assert containers.left() == []


@ENDS
@pytest.mark.parametrize("moment", TEN_MOMENTS)
def test_nox_with_two_cells_at_once_is_interrupted(
    moment: str, number: signal.Signals, project: Project, wire: Wire, containers: Containers
) -> None:
    ended = interrupt([*NOX, "-j", "2", "-s", "one", "two"], moment, number, project, wire)
    assert ended.code != 0
    assert containers.left() == []


@ENDS
@pytest.mark.parametrize("moment", [*ON_THE_WIRE, SWAP])
def test_a_run_that_is_interrupted_says_so_by_its_exit_code(
    moment: str, number: signal.Signals, project: Project, wire: Wire, containers: Containers
) -> None:
    ended = interrupt([*MATRIX, "run", "one"], moment, number, project, wire)
    assert ended.code == EXITS[number]
    assert "tvm-matrix: interrupted" in ended.output
    assert "Traceback" not in ended.output
    assert containers.left() == []


def test_a_terminal_that_is_closed_ends_the_run(project: Project, wire: Wire, containers: Containers) -> None:
    ended = interrupt([*MATRIX, "run", "one"], "check", signal.SIGHUP, project, wire)
    assert ended.code == EXITS[signal.SIGHUP]
    assert containers.left() == []


@ENDS
def test_a_runner_that_has_hardly_begun_leaves_nothing(
    number: signal.Signals, project: Project, containers: Containers
) -> None:
    """Python itself may lose a signal while it starts: then the run comes to its end."""
    terminal = Terminal(project, [*NOX, "-s", "one"])
    wait_until(lambda: any("-m tvm.matrix run one" in line for line in processes(project.root).values()))
    terminal.send(number)
    ended = terminal.finish(LIMIT)
    assert ended.left == []
    assert all(whole(result) for result in project.kept().values())
    assert project.half_made() == []
    assert containers.left() == []


def test_a_second_signal_changes_nothing(project: Project, wire: Wire, containers: Containers) -> None:
    """The second one comes while the box is being removed."""
    first, second = Shot(number=signal.SIGINT), Shot(number=signal.SIGTERM)
    wire.at(ON_THE_WIRE["check"], first.fire)
    wire.at(ON_THE_WIRE["remove"], second.fire)
    terminal = Terminal(project, [*MATRIX, "run", "one"])
    for shot in (first, second):
        shot.aim(terminal)
    ended = terminal.finish(LIMIT)
    assert first.sent
    assert second.sent
    assert ended.code == EXITS[signal.SIGINT]
    assert containers.left() == []
