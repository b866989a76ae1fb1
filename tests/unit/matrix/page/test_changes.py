from dataclasses import replace
from pathlib import Path

from tests.unit.matrix.page.cells import a_cell
from tests.unit.matrix.page.reader import Node, read, rows
from tests.unit.matrix.results_data import an_artefact, an_outcome
from tvm.matrix.outcome import Status
from tvm.matrix.page import changes
from tvm.matrix.page.view import Cell


def section(before: Cell, after: Cell) -> Node:
    return read(changes.section(replace(after, before=before.data, before_at="first/previous.json")))


def test_without_a_run_before_there_is_nothing_to_compare_with() -> None:
    assert read(changes.section(a_cell())).text == "Changes: there is no run before this one to compare with."


def test_nothing_that_changed_is_said_in_a_sentence() -> None:
    assert section(a_cell(), a_cell()).text == "Changes: none since the good run before, 2026-01-01 00:00 UTC."


def test_each_change_has_its_value_before_and_after() -> None:
    found = section(a_cell(), a_cell(an_outcome(artefacts=[an_artefact()])))
    assert rows(found.one("table"))[1:] == [["artefact", "lib.so", "—", "6 bytes, sha256 666666666666…"]]
    assert found.one("caption").text == "Changes of first since the good run before: 1"


def many(folder: str, status: Status) -> Node:
    names = [an_artefact(f"lib{number}.so") for number in range(103)]
    return section(a_cell(), a_cell(an_outcome(artefacts=names, status=status), folder=Path(folder)))


def test_of_many_changes_the_rest_is_left_to_diff() -> None:
    found = many("first", Status.PASSED)
    assert (len(found.all("tr")), "And 3 more changes" in found.text) == (101, True)
    assert found.one("div", class_="command").one("code").text == "python -m tvm.matrix diff first/previous.json first"


def test_a_run_before_that_was_not_good_is_called_so() -> None:
    failed = a_cell(an_outcome(status=Status.FAILED))
    assert section(failed, failed).text.startswith("Changes: none since the run before, which was not good, ")


def test_the_commands_folders_are_those_of_this_result_and_of_the_one_before() -> None:
    found = many("first.failed", Status.FAILED)
    line = "python -m tvm.matrix diff first/previous.json first.failed"
    assert found.one("div", class_="command").one("code").text == line
