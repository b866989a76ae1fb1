"""The small matrix without an engine: this machine's own tools, and the image's wheels in a venv."""

import json
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.e2e.project import LIMIT, MATRIX, Project, lay, whole

if TYPE_CHECKING:
    import subprocess

TAR = 'tar: ">=1.35"'
# Known by its number among all sleeps of this machine.
STUCK = ["sleep", "61.7"]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a cache of this module's own: its venv is made once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def temporary() -> Iterator[Path]:
    """Return an empty folder for boxes; its name is short, for sockets go below it."""
    with tempfile.TemporaryDirectory(prefix="tvm-e2e-") as folder:
        yield Path(folder)


@pytest.fixture
def alone(cache: Path, temporary: Path, tmp_path: Path) -> Project:
    """Return the small project on a machine whose engine is never asked; its tar may be of any version."""
    lay(tmp_path / "project")
    told = {"XDG_CACHE_HOME": str(cache), "TMPDIR": str(temporary), "TVM_MATRIX_ENGINE": "local"}
    project = Project(root=tmp_path / "project", environment=told)
    project.edit("matrix.yaml", TAR, 'tar: ">=1"')
    return project


@pytest.fixture
def stuck(alone: Project, tmp_path: Path) -> "subprocess.Popen[bytes]":
    """Return a run in the middle of a check that does not end."""
    alone.edit(
        "tests/matrix/check_words.py", "    program = tmp_path", f"    process.run({STUCK!r})\n    program = tmp_path"
    )
    runner = alone.start([*MATRIX, "run", "two"], tmp_path / "log")
    end = time.monotonic() + LIMIT
    while not sleeping():
        assert time.monotonic() < end, (tmp_path / "log").read_text(encoding="utf-8")
        time.sleep(0.1)
    return runner


def manifest_of(project: Project, place: str) -> dict[str, object]:
    data: dict[str, object] = json.loads((project.results / place / "manifest.json").read_text(encoding="utf-8"))
    return data


def test_a_cell_passes_on_this_machine_and_says_so(alone: Project, temporary: Path) -> None:
    done = alone.matrix("run", "three", "--engine", "local")
    assert done.code == 0, done.output
    assert "local, network not isolated" in done.output
    assert whole(alone.kept()["three@local"])
    assert '"urn:tvm-matrix:builder:local"' in json.dumps(manifest_of(alone, "three@local"))
    assert list(temporary.glob("tvm-box-*")) == []


def test_a_check_without_its_tool_is_unavailable_and_the_others_run(alone: Project) -> None:
    alone.edit("matrix.yaml", 'tar: ">=1"', 'tar: ">=99"')
    done = alone.matrix("run", "three")
    assert done.code == 0, done.output
    assert "pack unavailable, words 1/1" in done.output
    assert "but matrix.yaml wants >=99" in done.output
    assert alone.matrix("run", "three", "--require-all").code == 1


def test_a_cell_in_which_nothing_runs_fails_and_counts_as_not_covered(alone: Project) -> None:
    alone.edit("matrix.yaml", 'tar: ">=1"', 'tar: ">=99"')
    done = alone.matrix("run", "one")
    assert done.code == 11
    assert "Debian package tar" in done.output
    covered = alone.matrix("coverage", "one")
    assert covered.code == 10
    assert "check pack is unavailable" in covered.output


def test_an_interrupt_leaves_no_box_and_no_process(stuck: "subprocess.Popen[bytes]", temporary: Path) -> None:
    stuck.send_signal(signal.SIGINT)
    assert stuck.wait(LIMIT) == 130
    assert list(temporary.glob("tvm-box-*")) == []
    assert sleeping() == []


def test_what_a_killed_runner_left_goes_with_the_next_run(
    alone: Project, stuck: "subprocess.Popen[bytes]", temporary: Path
) -> None:
    stuck.kill()
    stuck.wait(LIMIT)
    assert len(sleeping()) == 1
    done = alone.matrix("run", "one")
    assert done.code == 0, done.output
    assert "whose runner is gone" in done.output
    assert list(temporary.glob("tvm-box-*")) == []
    assert sleeping() == []
    assert alone.half_made() == []


def sleeping() -> list[Path]:
    """Return the processes that the changed check has started."""
    return [path.parent for path in Path("/proc").glob("[0-9]*/cmdline") if _words(path)[-1:] == STUCK[1:]]


def _words(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").split("\0")[:-1]
    except OSError:
        return []
