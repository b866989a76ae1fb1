"""`run --shell`: a look into a box of a cell."""

import signal

from tests.e2e.engine import Containers
from tests.e2e.project import LIMIT, MATRIX, Project
from tests.e2e.terminal import Terminal
from tvm.error import ExitCode

_SHELL = [*MATRIX, "run", "--shell", "two"]
_OPEN = "`exit` removes the box"


def test_a_shell_has_the_cells_image_the_tree_and_no_network(project: Project, containers: Containers) -> None:
    terminal = Terminal(project, _SHELL)
    terminal.wait_for(_OPEN, LIMIT)
    terminal.wait_for("$ ", LIMIT)
    terminal.type("stty size; id -u; echo cell=$TVM_MATRIX_CELL; ls matrix.yaml; ls /sys/class/net | cat; exit 3\n")
    ended = terminal.finish(LIMIT)
    assert ended.code == 0, ended.output
    lines = ended.output.splitlines()
    for line in ("1000", "cell=two", "matrix.yaml", "lo"):
        assert line in lines, ended.output
    assert ended.left == []
    assert containers.left() == []


def test_ctrl_c_reaches_the_program_in_the_shell_and_not_the_run(project: Project, containers: Containers) -> None:
    terminal = Terminal(project, _SHELL)
    terminal.wait_for("$ ", LIMIT)
    # It says so itself: it has the terminal then, as it has not in the moment after a fork of the shell.
    terminal.type("sh -c 'echo begun; exec sleep 600'\n")
    terminal.wait_for("begun\r\n", LIMIT)
    terminal.send(signal.SIGINT)
    # What is typed before the terminal has seen Ctrl-C may be dropped with it.
    terminal.wait_for("^C", LIMIT)
    terminal.type("echo still $((40 + 2)); exit\n")
    ended = terminal.finish(LIMIT)
    assert ended.code == 0, ended.output
    assert "still 42" in ended.output
    assert containers.left() == []


def test_a_shell_that_is_told_to_end_leaves_no_box(project: Project, containers: Containers) -> None:
    terminal = Terminal(project, _SHELL)
    terminal.wait_for("$ ", LIMIT)
    terminal.send(signal.SIGTERM)
    ended = terminal.finish(LIMIT)
    assert ended.code == ExitCode.TERMINATED, ended.output
    assert containers.left() == []


def test_without_a_terminal_nothing_is_begun(project: Project, containers: Containers) -> None:
    done = project.matrix("run", "--shell", "two")
    assert done.code == ExitCode.CONFIG
    assert "--shell needs a terminal" in done.output
    assert "started" not in done.output
    assert containers.left() == []
