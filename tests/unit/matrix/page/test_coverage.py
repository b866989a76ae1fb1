from tests.unit.matrix.page.cells import a_cell
from tests.unit.matrix.page.reader import Node, read, rows
from tests.unit.matrix.results_data import an_outcome
from tvm.matrix.coverage import Row
from tvm.matrix.model import Depth
from tvm.matrix.page import coverage


def a_row(cell: str, reached: Depth | None, *, why: str = "") -> Row:
    return Row(cell=cell, arch="x86_64", declared=Depth.inspected, reached=reached, by="readelf", why=why)


def section(*table: Row) -> Node:
    """Return the section; the cell `ran` has a result of this tree, `old` one of another."""
    cells = {"ran": a_cell(an_outcome("ran")), "old": a_cell(an_outcome("old"), current=False)}
    return read(coverage.section(table, cells))


def test_the_caption_counts_what_is_missing_against_the_total() -> None:
    found = section(a_row("ran", Depth.inspected), a_row("other", None, why="the cell has not run"))
    assert found.one("caption").text == "Coverage: 1 of 2 archs reach their declared depth"


def test_every_gap_says_why_and_failures_come_first() -> None:
    table = [a_row("other", None, why="the cell has not run"), a_row("ran", Depth.linked, why="reached linked by lld")]
    heads, *found = rows(section(a_row("ran", Depth.inspected), *table).one("table"))
    assert heads == ["Cell", "Arch", "compiled", "linked", "inspected", "executed", "Result", "Shown by, or why not"]
    assert [(row[0], row[-2], row[-1]) for row in found] == [
        ("ran", "gap", "reached linked by lld"),
        ("other", "gap", "the cell has not run"),
        ("ran", "met", "readelf"),
    ]


def test_each_depth_is_read_out_as_well_as_drawn() -> None:
    heard = [node.text for node in section(a_row("ran", Depth.linked)).all("span", class_="heard")]
    assert heard == ["reached", "reached", "declared, not reached", "not declared"]


def test_a_cell_without_a_result_is_no_link() -> None:
    links = section(a_row("ran", None), a_row("old", None), a_row("other", None)).all("a")
    assert [link.attributes["href"] for link in links] == ["#cell-ran", "#cell-old"]


def test_only_a_gap_of_this_tree_is_a_failure_and_only_this_tree_is_green() -> None:
    found = section(a_row("ran", None), a_row("old", None), a_row("other", None), a_row("ran", Depth.inspected))
    tones = [node.attributes["class"] for node in found.all("span", class_="status")]
    assert tones == ["status bad", "status gap", "status gap", "status good"]
