"""repro and coverage: a cell that keeps its word, and one that does not."""

import re

import pytest

from tests.e2e.engine import Containers
from tests.e2e.project import Project
from tvm.error import ExitCode


@pytest.mark.usefixtures("spared")
def test_two_builds_of_a_good_cell_are_identical(project: Project) -> None:
    done = project.nox("-s", "repro", "--", "one")
    assert done.code == 0, done.output
    assert "one: 1 artefacts, two builds identical" in done.output
    proof = (project.results / "one.repro" / "repro.json").read_text(encoding="utf-8")
    assert '"identical": true' in proof
    assert not (project.results / "one.repro" / "first").exists()


@pytest.mark.usefixtures("spared")
def test_a_path_in_an_artefact_is_seen(project: Project) -> None:
    project.edit("tests/matrix/check_pack.py", 'NOTE = "a note\\n"', 'NOTE = f"{Path.cwd()}\\n"')
    done = project.matrix("repro", "one")
    assert done.code == ExitCode.DIFFERENT
    assert "one: two builds differ:\n  pack.tar: " in done.output
    assert "first difference at byte " in done.output
    for build in ("first", "second"):
        assert (project.results / "one.repro" / build / "artefacts" / "pack.tar").is_file()


@pytest.mark.usefixtures("spared")
def test_two_builds_of_an_image_hold_the_same(project: Project) -> None:
    done = project.nox("-s", "repro", "--", "--images", "one", "two")
    assert done.code == 0, done.output
    assert re.search(r"^image small: \d+ packages, 2 tools, two builds hold the same$", done.output, re.MULTILINE)


@pytest.mark.usefixtures("spared")
def test_an_image_that_is_another_each_time_is_seen(project: Project) -> None:
    note = "RUN mkdir -p /usr/share/tvm-matrix/notes && date +%N > /usr/share/tvm-matrix/notes/when\n"
    project.edit("images/small/Dockerfile", "USER root\n", f"USER root\n{note}")
    done = project.matrix("repro", "--images", "one")
    assert done.code == ExitCode.DIFFERENT
    assert "one: two builds of image small hold different things:\n  ~ note note: " in done.output


def test_declared_depths_that_are_reached_are_covered(project: Project, containers: Containers) -> None:
    done = project.matrix("coverage")
    assert done.code == 0, done.output
    assert "3 of 3 archs reach their declared depth" in done.output
    assert containers.wire.containers == set()


def test_an_arch_that_falls_short_of_its_declared_depth_is_named(project: Project, containers: Containers) -> None:
    project.edit("tests/matrix/check_pack.py", "import executed", "import inspected")
    project.edit("tests/matrix/check_pack.py", "= executed(", "= inspected(")
    assert project.matrix("run", "one").code == 0
    done = project.matrix("coverage", "one")
    assert done.code == ExitCode.COVERAGE
    assert "one x86_64: declared executed, reached inspected by tar -x" in done.output
    assert "fix: run nox -s one" in done.output
    assert containers.left() == []


def test_a_result_of_another_tree_covers_nothing(project: Project) -> None:
    (project.root / "more.txt").write_text("more\n", encoding="utf-8")
    done = project.nox("-s", "coverage")
    assert done.code != 0
    assert "the result is of another tree" in done.output
    assert "0 of 3 archs reach their declared depth" in done.output
