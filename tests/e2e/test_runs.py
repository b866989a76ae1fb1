"""The small matrix as a user runs it."""

from tests.e2e.engine import Containers
from tests.e2e.project import ROOT, Project, whole
from tvm.matrix import loader

CELLS = {
    "one": ["artefacts/pack.tar"],
    "two": ["artefacts/words.py"],
    "three": ["artefacts/pack.tar", "artefacts/words.py"],
}


def test_the_small_matrix_stands_on_the_suite_of_the_real_one(project: Project) -> None:
    """So that images/base is built once for both."""
    small, real = (loader.load(root / "matrix.yaml").matrix.suites for root in (project.root, ROOT))
    assert small
    assert small == {name: real[name] for name in small}


def test_every_cell_has_left_its_artefacts_and_a_manifest_of_their_hashes(project: Project) -> None:
    kept = project.kept()
    assert kept.keys() == CELLS.keys()
    for cell, names in CELLS.items():
        assert whole(kept[cell])
        assert [name for name in sorted(kept[cell]) if name.startswith("artefacts/")] == names


def test_a_run_in_parallel_prints_each_cell_and_leaves_no_container(project: Project, containers: Containers) -> None:
    done = project.nox("-j", "2", "-s", "one", "two")
    assert done.code == 0, done.output
    assert "one: passed" in done.output
    assert "two: passed" in done.output
    assert containers.wire.containers
    assert containers.left() == []
    assert project.half_made() == []


def test_a_failing_check_fails_the_cell_and_spares_the_last_good_result(
    project: Project, containers: Containers
) -> None:
    before = project.kept()
    project.edit("tests/matrix/check_pack.py", '"a note', '"another note')
    project.edit("tests/matrix/check_pack.py", "assert done.output == NOTE", 'assert done.output == "a note"')
    done = project.matrix("run", "one")
    assert done.code == 1
    assert "another note" in done.output
    assert "one.failed/logs" in done.output
    assert project.kept() == before
    assert (project.results / "one.failed" / "manifest.json").is_file()
    assert containers.left() == []
    assert project.half_made() == []
