"""Two runs at once, and runs after one that was killed."""

import signal
from pathlib import Path

import pytest

from tests.e2e.engine import Containers
from tests.e2e.moments import ON_THE_WIRE
from tests.e2e.project import LIMIT, MATRIX, Project, whole
from tests.e2e.wire import Wire


@pytest.mark.parametrize("cells", [("one", "one"), ("one", "two")], ids=["one cell", "two cells"])
def test_two_runs_at_once_both_come_to_their_end(
    cells: tuple[str, str], project: Project, containers: Containers, tmp_path: Path
) -> None:
    before = project.kept()
    _both([*MATRIX, "run", cells[0]], [*MATRIX, "run", cells[1]], project, tmp_path)
    _new_and_whole(project, before, cells, containers)


def test_two_runs_that_need_one_new_image_build_it_once(
    project: Project, containers: Containers, tmp_path: Path
) -> None:
    project.edit("images/small/Dockerfile", "USER root\n", "USER root\nRUN echo e2e once && sleep 2\n")
    before = project.kept()
    outputs = _both([*MATRIX, "run", "one"], [*MATRIX, "run", "two"], project, tmp_path)
    assert "".join(outputs).count("RUN echo e2e once") == 1
    assert "".join(outputs).count("wait for another run that makes tvm-matrix/small") == 1
    _new_and_whole(project, before, ("one", "two"), containers)


@pytest.mark.parametrize("moment", ["create", "put", "check", "collect"])
def test_after_a_runner_was_killed_the_next_run_clears_what_it_left(
    moment: str, project: Project, wire: Wire, containers: Containers, tmp_path: Path
) -> None:
    before = project.kept()
    started = project.start([*MATRIX, "run", "one"], tmp_path / "log")
    wire.at(ON_THE_WIRE[moment], lambda: started.send_signal(signal.SIGKILL))
    assert started.wait(LIMIT) == -signal.SIGKILL
    assert project.kept() == before
    assert project.half_made() != []

    left = containers.left()
    again = project.matrix("run", "one")
    assert again.code == 0, again.output
    assert all(f"removed {name}, whose runner is gone" in again.output for name in left)
    _new_and_whole(project, before, ("one",), containers)


def _both(first: list[str], second: list[str], project: Project, folder: Path) -> list[str]:
    """Run two programs at once and return what they printed; both must succeed."""
    logs = [folder / "first.log", folder / "second.log"]
    started = [project.start(argv, log) for argv, log in zip((first, second), logs, strict=True)]
    codes = [program.wait(LIMIT) for program in started]
    outputs = [log.read_text(encoding="utf-8") for log in logs]
    assert codes == [0, 0], "\n".join(outputs)
    return outputs


def _new_and_whole(
    project: Project, before: dict[str, dict[str, bytes]], cells: tuple[str, ...], containers: Containers
) -> None:
    after = project.kept()
    for cell, old in before.items():
        assert (after[cell] != old) == (cell in cells)
        assert whole(after[cell])
    assert project.half_made() == []
    assert containers.left() == []
