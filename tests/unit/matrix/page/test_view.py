import pytest

from tests.unit.matrix.page.cells import a_cell
from tests.unit.matrix.results_data import a_run, an_outcome
from tvm.matrix.manifest import Run
from tvm.matrix.outcome import Status
from tvm.matrix.page.view import rank

FAILED = an_outcome(status=Status.FAILED)


def test_a_failure_of_this_tree_is_one_and_of_another_is_none() -> None:
    assert [a_cell(FAILED).failed, a_cell(FAILED, current=False).failed, a_cell().failed] == [True, False, False]


@pytest.mark.parametrize(("status", "tone"), [("passed", "good"), ("failed", "bad"), ("unavailable", "gap")])
def test_a_status_has_its_colour_on_this_tree_only(status: str, tone: str) -> None:
    assert (a_cell().tone(status), a_cell(current=False).tone(status)) == (tone, "old")


def test_a_cell_in_which_nothing_could_run_has_not_failed() -> None:
    nothing = an_outcome(status=Status.UNAVAILABLE)
    assert (a_cell(nothing).failed, a_cell(nothing).unavailable) == (False, True)
    assert not a_cell(nothing, current=False).unavailable
    assert not a_cell().unavailable


def test_failures_come_first_and_other_trees_last() -> None:
    cells = [
        a_cell(an_outcome("d", status=Status.UNAVAILABLE)),
        a_cell(current=False),
        a_cell(an_outcome("b")),
        a_cell(an_outcome("c", status=Status.FAILED)),
        a_cell(an_outcome("a")),
    ]
    assert [cell.name for cell in sorted(cells, key=rank)] == ["c", "d", "a", "b", "first"]


def test_a_local_result_is_told_apart() -> None:
    local = Run(**{**a_run().__dict__, "builder": "local"})
    assert (a_cell().is_local, a_cell(run=local).is_local) == (False, True)
