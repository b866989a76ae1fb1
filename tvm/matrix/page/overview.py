"""Cells x checks: a row per cell, failures first."""

from collections.abc import Sequence

from tvm.matrix.page._html import Safe, element
from tvm.matrix.page._parts import anchor, bar, moment, number, row, status, table, words
from tvm.matrix.page.view import Cell


def section(cells: Sequence[Cell], absent: Sequence[str]) -> Safe:
    """Return the section: the cells that have a result in the order given, then the names of those that have none."""
    longest = max((cell.own["seconds"] for cell in cells), default=0.0)
    rows = [_row(cell, longest) for cell in cells]
    rows += [row(name, status("not run", "old"), "", "", "", "", "", class_="old") for name in absent]
    heads = ["Cell", "Result", "Checks: tests passed", "#Artefacts", "Repro", "Time", "When"]
    shown = table("Each cell with its checks, failures first", heads, [element("tbody", *rows)])
    return element("section", element("h2", "Cells and checks", id="cells"), shown, aria_labelledby="cells")


def result(cell: Cell) -> Safe:
    """Return a cell's status: of another tree, from which one."""
    word = str(cell.own["status"]) if cell.current else f"from {cell.revision}"
    return status(word, cell.tone(word))


def _row(cell: Cell, longest: float) -> Safe:
    own = cell.own
    return row(
        anchor(cell),
        result(cell),
        element("td", *(_check(cell, item) for item in own["checks"]), class_="checks"),
        number(str(len(own["artefacts"]))),
        repro(cell),
        bar(own["seconds"], longest),
        words(moment(cell.finished), "local, network not isolated" if cell.is_local else ""),
        class_=None if cell.current else "old",
    )


def _check(cell: Cell, check: dict[str, str]) -> Safe:
    tests, failures = int(check["tests"]), int(check["failures"])
    text = f"{check['name']} {tests - failures}/{tests}" if tests else f"{check['name']} {check['status']}"
    return element("span", status(text, cell.tone(check["status"])), class_="check")


def repro(cell: Cell) -> Safe:
    """Return what the cell's last repro has shown."""
    proof = cell.proof
    if not proof:
        return status("not proved", "old")
    if proof.get("identical"):
        return status(f"{len(proof['artefacts'])} identical", cell.tone("passed"))
    return status("different", cell.tone("failed"))
