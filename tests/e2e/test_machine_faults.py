"""A machine that is not as it should be: a clock that jumps, a disk that fills up, too much at once, images that go."""

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from docker.errors import NotFound

from tests.e2e import clock
from tests.e2e.clock import Clock
from tests.e2e.engine import Containers
from tests.e2e.moments import ON_THE_WIRE
from tests.e2e.project import LIMIT, MATRIX, Project, mounted, whole
from tests.e2e.wire import Wire
from tvm.error import ExitCode
from tvm.matrix import loader, prune
from tvm.matrix.engine import discover

JUMPS = pytest.mark.parametrize("offset", ["+400d", "-400d"], ids=["forward", "backward"])
# Every run holds the lock of the results for a moment; all must have had it within its limit.
RUNS = 10


@pytest.fixture
def jumping(tmp_path: Path) -> Clock:
    """Return a clock that is still right."""
    return clock.right(tmp_path / "clock")


@JUMPS
def test_a_clock_that_jumps_while_a_cell_runs_changes_nothing(
    offset: str, project: Project, wire: Wire, containers: Containers, jumping: Clock
) -> None:
    before = project.kept()
    wire.at(ON_THE_WIRE["check"], lambda: jumping.jump(offset))
    done = project.matrix("run", "one", **jumping.environment)
    assert done.code == 0, done.output
    assert 0 < _reported(project)["one"]["seconds"] < LIMIT
    after = project.kept()
    assert whole(after["one"])
    assert after["one"] != before["one"]
    assert project.half_made() == []
    assert containers.left() == []


@JUMPS
def test_a_failure_is_shown_whatever_the_clock_said_at_the_success_before(
    offset: str, project: Project, containers: Containers, jumping: Clock
) -> None:
    jumping.jump(offset)
    project.edit("tests/matrix/check_pack.py", "assert done.output == NOTE", 'assert done.output == "a note"')
    assert project.matrix("run", "one", **jumping.environment).code == ExitCode.FAILED
    assert _reported(project)["one"]["status"] == "failed"
    project.edit("tests/matrix/check_pack.py", 'assert done.output == "a note"', "assert done.output == NOTE")
    done = project.matrix("run", "one")
    assert done.code == 0, done.output
    assert _reported(project)["one"]["status"] == "passed"
    assert containers.left() == []


@pytest.mark.parametrize("moment", ["check", "collect"])
def test_a_disk_that_fills_up_while_a_cell_runs(
    moment: str, project: Project, wire: Wire, containers: Containers, small_disk: Path
) -> None:
    before = project.kept()
    wire.at(ON_THE_WIRE[moment], lambda: _fill(small_disk))
    done = project.matrix("run", "one")
    assert done.code == ExitCode.STORAGE
    assert "No space left on device" in done.output
    assert "fix: free some space there" in done.output
    assert "Traceback" not in done.output
    assert project.kept() == before
    assert project.half_made() == []
    assert containers.left() == []


def test_ten_runs_at_once_all_come_to_their_end(project: Project, containers: Containers, tmp_path: Path) -> None:
    logs = [tmp_path / f"{number}.log" for number in range(RUNS)]
    cells = ["one", "two", "three"]
    started = [project.start([*MATRIX, "run", cells[number % 3]], log) for number, log in enumerate(logs)]
    codes = [program.wait(LIMIT) for program in started]
    assert codes == [0] * RUNS, "\n".join(log.read_text(encoding="utf-8") for log in logs)
    assert all(whole(result) for result in project.kept().values())
    assert {cell["status"] for cell in _reported(project).values()} == {"passed"}
    assert project.half_made() == []
    assert containers.left() == []


@pytest.mark.usefixtures("spared")
def test_an_image_that_goes_before_its_box_is_opened(project: Project, wire: Wire, engine: discover.Connection) -> None:
    removed = list[str]()
    _give_own_image(project)
    wire.at(ON_THE_WIRE["create"], lambda: removed.extend(_remove_images(project, engine)))
    done = project.matrix("run", "one")
    assert removed
    assert done.code == ExitCode.IMAGE
    assert "the engine was to open a box of image small, but the image for it is gone" in done.output
    assert "fix: somebody has removed it since this run found it: run again, and it is built anew" in done.output


def test_an_image_that_goes_while_its_box_runs_is_built_anew_by_the_next_run(
    project: Project, wire: Wire, engine: discover.Connection, containers: Containers
) -> None:
    removed = list[str]()
    _give_own_image(project)
    wire.at(ON_THE_WIRE["check"], lambda: removed.extend(_remove_images(project, engine)))
    for _ in range(2):
        done = project.matrix("run", "one")
        assert done.code == 0, done.output
        assert "RUN echo e2e own" in done.output
        assert whole(project.kept()["one"])
        assert project.half_made() == []
        assert containers.left() == []
    # While a box stood on it, it only lost its name.
    client: Any = engine.client
    for image in removed:
        client.remove_image(image)


@pytest.fixture
def small_disk(project: Project) -> Iterator[Path]:
    """Return the folder of results on a file system of its own that has room for one more run."""
    with mounted(project, size="4m") as folder:
        yield folder


def _fill(folder: Path) -> None:
    with suppress(OSError), (folder / "ballast").open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))


def _give_own_image(project: Project) -> None:
    """Give the project an image that no other test uses."""
    project.edit("images/small/Dockerfile", "USER root\n", "USER root\nRUN echo e2e own\n")


def _remove_images(project: Project, engine: discover.Connection) -> list[str]:
    """Remove the project's small image, whoever uses it, and return the ID that it had."""
    client: Any = engine.client
    removed = []
    for name in prune.current(loader.load(project.root)):
        if name.startswith("tvm-matrix/small:"):
            with suppress(NotFound):
                removed.append(client.inspect_image(name)["Id"])
                client.remove_image(name, force=True)
    return removed


def _reported(project: Project) -> dict[str, dict[str, Any]]:
    data = json.loads((project.results / "report.json").read_text(encoding="utf-8"))
    return {cell["cell"]: cell for cell in data["cells"]}
