from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.matrix.results_data import OTHER_TREE, TREE, a_local_run, a_run, an_artefact, an_outcome, keep
from tests.unit.matrix.world import make_project
from tvm.error import CoverageError, ExitCode
from tvm.matrix import coverage
from tvm.matrix.coverage import Row
from tvm.matrix.model import Depth, Project
from tvm.matrix.outcome import Artefact, CellOutcome, CheckOutcome, Status
from tvm.matrix.results import Results


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return make_project(tmp_path)


def row(project: Project, arch: str = "x86_64") -> Row:
    """Return the row of one arch of the cell `first`."""
    (found,) = (row for row in coverage.rows(project, TREE.sha256) if (row.cell, row.arch) == ("first", arch))
    return found


def ran(project: Project, *artefacts: Artefact) -> None:
    keep(Results(folder=project.build), an_outcome(artefacts=artefacts))


def test_there_is_a_row_per_declared_arch_in_the_order_of_the_matrix(project: Project) -> None:
    assert [(row.cell, row.arch, row.declared.name) for row in coverage.rows(project, TREE.sha256)] == [
        ("first", "x86_64", "executed"),
        ("first", "aarch64", "linked"),
        ("second", "x86_64", "compiled"),
    ]


def test_a_cell_that_has_not_run_reached_nothing(project: Project) -> None:
    assert (row(project).reached, row(project).why, row(project).met) == (None, "the cell has not run", False)


def test_a_cell_whose_image_could_not_be_made_says_why(project: Project) -> None:
    results = Results(folder=project.build)
    keep(results, an_outcome(artefacts=[an_artefact()]), a_run(tree=OTHER_TREE))
    results.keep_reason("first", TREE.sha256, "image first: its index does not answer")
    assert (row(project).reached, row(project).why) == (None, "image first: its index does not answer")


def test_why_there_was_no_image_is_of_one_tree_and_goes_with_a_result(project: Project) -> None:
    results = Results(folder=project.build)
    results.keep_reason("first", OTHER_TREE.sha256, "image first: its index does not answer")
    assert row(project).why == "the cell has not run"
    results.keep_reason("first", TREE.sha256, "image first: its index does not answer")
    keep(results, an_outcome(status=Status.FAILED))
    assert row(project).why == "the cell failed"


def test_an_arch_reaches_the_deepest_evidence_of_its_artefacts(project: Project) -> None:
    ran(project, an_artefact("a", depth=Depth.linked, by="lld"), an_artefact("b", depth=Depth.executed, by="qemu"))
    found = row(project)
    assert (found.reached, found.by, found.why, found.met) == (Depth.executed, "qemu", "", True)


def test_a_depth_beyond_the_declared_one_meets_it(project: Project) -> None:
    ran(project, an_artefact(arch="aarch64", depth=Depth.executed))
    assert row(project, "aarch64").met


def test_a_shallower_depth_says_how_far_it_came(project: Project) -> None:
    ran(project, an_artefact(depth=Depth.linked, by="lld"))
    assert (row(project).why, row(project).met) == ("reached linked by lld", False)


def test_an_arch_without_an_artefact_says_so(project: Project) -> None:
    ran(project, an_artefact(arch="aarch64"))
    assert row(project).why == "no artefact was published for it"


def test_a_failure_of_this_tree_hides_the_good_result_before(project: Project) -> None:
    ran(project, an_artefact())
    keep(Results(folder=project.build), an_outcome(status=Status.FAILED))
    assert (row(project).why, row(project).reached) == ("the cell failed", None)


def test_a_failure_of_another_tree_does_not(project: Project) -> None:
    ran(project, an_artefact())
    keep(Results(folder=project.build), an_outcome(status=Status.FAILED), a_run(tree=OTHER_TREE))
    assert row(project).met


def test_a_result_of_another_tree_counts_for_nothing(project: Project) -> None:
    keep(Results(folder=project.build), an_outcome(artefacts=[an_artefact()]), a_run(tree=OTHER_TREE))
    assert (row(project).why, row(project).reached) == ("the result is of another tree", None)


def rows(marks: str) -> Sequence[Row]:
    """Return the rows of cells c0, c1, ...: "+" for one that met its depth, "-" for one that did not."""
    return [
        Row(
            cell=f"c{at}",
            arch="x",
            declared=Depth.linked,
            reached=Depth.linked if mark == "+" else None,
            by="",
            why="gone",
        )
        for at, mark in enumerate(marks)
    ]


def test_the_summary_counts_what_is_missing_against_the_total() -> None:
    assert coverage.summary(rows("+-+")) == "2 of 3 archs reach their declared depth"


def test_every_arch_that_falls_short_is_named_with_its_why() -> None:
    with pytest.raises(CoverageError) as caught:
        coverage.require(rows("-+-"), ["c0", "c1", "c2"])
    assert caught.value.exit_code is ExitCode.COVERAGE
    assert caught.value.cause == (
        "declared depth not reached:\n  c0 x: declared linked, gone\n  c2 x: declared linked, gone"
    )
    assert "nox -s c0 c2" in caught.value.fix


def test_cells_that_were_not_asked_for_do_not_fail() -> None:
    table = rows("-+")
    coverage.require(table, ["c1"])
    assert [row.met for row in table] == [False, True]


def unavailable(*artefacts: Artefact, status: Status = Status.PASSED) -> CellOutcome:
    """Return the outcome of a cell of which one check could not run on this machine."""
    outcome = an_outcome(artefacts=artefacts)
    gone = CheckOutcome(name="nvcc", status=Status.UNAVAILABLE, why="nvcc is not there")
    return replace(outcome, status=status, checks=(*outcome.checks, gone))


def test_what_this_machine_gave_counts_where_no_image_was_run(project: Project) -> None:
    keep(Results(folder=project.build), an_outcome(artefacts=[an_artefact(by="qemu")]), a_local_run())
    assert (row(project).met, row(project).by) == (True, "qemu, local")


def test_what_an_image_gave_counts_more_than_what_this_machine_gave(project: Project) -> None:
    keep(Results(folder=project.build), an_outcome(artefacts=[an_artefact()]), a_local_run())
    ran(project, an_artefact(depth=Depth.linked, by="lld"))
    assert row(project).why == "reached linked by lld"


def test_an_image_of_another_tree_does_not_hide_what_this_machine_gave(project: Project) -> None:
    keep(Results(folder=project.build), an_outcome(artefacts=[an_artefact()]), a_run(tree=OTHER_TREE))
    keep(Results(folder=project.build), an_outcome(artefacts=[an_artefact()]), a_local_run())
    assert row(project).met


def test_a_gap_says_which_check_was_unavailable(project: Project) -> None:
    keep(Results(folder=project.build), unavailable(an_artefact(arch="aarch64")), a_local_run())
    assert not row(project).met
    assert row(project).why == "no artefact was published for it; check nvcc is unavailable: nvcc is not there"
    assert row(project, "aarch64").why == ""


def test_a_cell_in_which_nothing_ran_says_what_is_missing(project: Project) -> None:
    keep(Results(folder=project.build), unavailable(status=Status.UNAVAILABLE), a_local_run())
    assert (row(project).reached, row(project).why) == (None, "check nvcc is unavailable: nvcc is not there")


def test_where_all_were_required_the_cell_failed(project: Project) -> None:
    keep(Results(folder=project.build), unavailable(status=Status.FAILED), a_local_run())
    assert row(project).why == "the cell failed"
