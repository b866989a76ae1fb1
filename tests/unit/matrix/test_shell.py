import sys

import pytest

from tests.unit.matrix.world import World
from tvm.error import ConfigError, EngineError
from tvm.matrix import shell
from tvm.matrix.engine.box import DockerBox
from tvm.matrix.session import Session


def on_a_terminal(monkeypatch: pytest.MonkeyPatch, *, reads: bool = True, writes: bool = True) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: reads, raising=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: writes, raising=False)


@pytest.mark.parametrize(("reads", "writes"), [(False, True), (True, False)])
def test_without_a_terminal_there_is_no_shell(
    world: World,
    monkeypatch: pytest.MonkeyPatch,
    reads: bool,  # noqa: FBT001 - columns of the table
    writes: bool,  # noqa: FBT001
) -> None:
    on_a_terminal(monkeypatch, reads=reads, writes=writes)
    with pytest.raises(ConfigError, match="--shell needs a terminal"):
        shell.the_cell(world.plan("first"))
    assert world.engine.boxes == []


def test_a_shell_is_opened_in_one_cell_only(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    on_a_terminal(monkeypatch)
    with pytest.raises(ConfigError, match="--shell opens one box, and 2 cells are named"):
        shell.the_cell(world.plan("all"))


def test_the_one_cell_is_taken(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    on_a_terminal(monkeypatch)
    assert shell.the_cell(world.plan("first")).name == "first"


def test_the_tree_lies_in_the_box_which_is_closed_at_the_end(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    joined = list[dict[str, str]]()

    class Joined:
        """Takes the place of the box: what stands in it is still the fake's."""

        def shell(self, env: dict[str, str]) -> None:
            (box,) = world.engine.boxes
            assert (box.source / "tvm" / "a.py").is_file()
            assert box.closed == []
            joined.append(env)

    monkeypatch.setenv("TERM", "vt100")
    monkeypatch.setattr(shell, "docker_box", lambda _box, _session: Joined())
    shell.open_shell(world.session(), world.plan("first").cells[0])
    (box,) = world.engine.boxes
    assert joined == [{"TERM": "vt100"}]
    assert (box.closed, box.options.limit) == ([False], 4 * 3600)
    assert any("no network, the tree in /src" in line for line in world.told.lines)


def test_a_box_that_is_no_container_has_no_shell(world: World) -> None:
    with pytest.raises(EngineError, match="docker has no box to open a shell in"):
        shell.open_shell(world.session(), world.plan("first").cells[0])
    (box,) = world.engine.boxes
    assert box.closed == [False]


def test_a_container_is_taken_as_it_is(world: World) -> None:
    box = object.__new__(DockerBox)
    assert shell.docker_box(box, world.session()) is box


def test_whatever_ends_a_shell_no_box_of_the_run_stays(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_box: object, _session: Session) -> DockerBox:
        raise KeyboardInterrupt

    monkeypatch.setattr(shell, "docker_box", interrupted)
    session = world.session()
    with pytest.raises(KeyboardInterrupt):
        shell.open_shell(session, world.plan("first").cells[0])
    assert world.engine.swept == [session.run_id]
