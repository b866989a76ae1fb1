from dataclasses import replace

from tests.unit.matrix.page.cells import a_cell
from tests.unit.matrix.page.reader import Node, read, rows
from tests.unit.matrix.results_data import an_artefact, an_outcome
from tvm.matrix.outcome import Status
from tvm.matrix.page import overview
from tvm.matrix.page.view import Cell


def table(*cells: Cell, absent: tuple[str, ...] = ()) -> Node:
    return read(overview.section(cells, absent)).one("table")


def test_a_cell_has_its_result_checks_artefacts_proof_and_time() -> None:
    proved = replace(
        a_cell(an_outcome(artefacts=[an_artefact()])), proof={"identical": True, "artefacts": {"lib.so": "1"}}
    )
    assert rows(table(proved))[1] == ["first", "passed", "cc 2/2", "1", "1 identical", "2.3 s", "2026-01-01 00:00 UTC"]


def test_a_check_without_a_test_shows_its_status() -> None:
    outcome = an_outcome(status=Status.FAILED)
    outcome = replace(outcome, checks=(replace(outcome.checks[0], tests=0, failures=0),))
    assert rows(table(a_cell(outcome)))[1][2] == "cc failed"


def test_a_cell_that_has_not_run_stands_there_too() -> None:
    assert rows(table(absent=("wasm",)))[1][:2] == ["wasm", "not run"]


def test_builds_that_differ_are_told() -> None:
    assert overview.repro(replace(a_cell(), proof={"identical": False, "artefacts": {}})).endswith("different</span>")


def test_a_result_of_another_tree_says_from_which_and_has_no_colour() -> None:
    found = table(replace(a_cell(current=False), proof={"identical": True, "artefacts": {}}))
    assert rows(found)[1][1] == "from bbbbbbbbbbbb"
    assert {node.attributes["class"] for node in found.all("span", class_="status")} == {"status old"}
    assert found.all("tr", class_="old") != []


def test_bars_are_drawn_against_the_longest_cell() -> None:
    short = replace(an_outcome("b"), seconds=1.0)
    found = table(a_cell(replace(an_outcome("a"), seconds=4.0)), a_cell(short))
    assert [node.attributes["width"] for node in found.all("rect")] == ["100.0", "25.0"]
