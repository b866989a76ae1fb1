"""The first table: hardware x depth, with the why of each gap."""

from collections.abc import Mapping, Sequence

from tvm.matrix.coverage import Row, summary
from tvm.matrix.model import Depth
from tvm.matrix.page._html import Safe, element
from tvm.matrix.page._parts import anchor, hidden, row, status, table
from tvm.matrix.page.view import Cell

# What a depth's mark looks like, and what it is read as.
_REACHED, _MISSED, _BEYOND = ("●", "reached"), ("○", "declared, not reached"), ("·", "not declared")


def section(rows: Sequence[Row], cells: Mapping[str, Cell]) -> Safe:
    """Return the section, gaps first; `cells` are those that have a place on the page."""
    ordered = sorted(rows, key=lambda item: (item.met, _tone(item, cells.get(item.cell)) != "bad"))
    body = element("tbody", *(_row(item, cells.get(item.cell)) for item in ordered))
    heads = ["Cell", "Arch", *Depth.__members__, "Result", "Shown by, or why not"]
    shown = table(f"Coverage: {summary(rows)}", heads, [body], class_="coverage")
    legend = element("p", *_legend(), class_="note")
    return element(
        "section", element("h2", "Hardware by depth", id="coverage"), shown, legend, aria_labelledby="coverage"
    )


def _row(item: Row, cell: Cell | None) -> Safe:
    name = anchor(cell) if cell else item.cell
    marks = (_mark(item, depth) for depth in Depth)
    result = status("met" if item.met else "gap", _tone(item, cell))
    return row(name, element("td", element("code", item.arch)), *marks, result, item.by if item.met else item.why)


def _tone(item: Row, cell: Cell | None) -> str:
    """Return how a result is coloured: where nothing of this tree has run, there is a gap but no failure."""
    if item.met:
        return "good"
    return "bad" if cell and cell.current else "gap"


def _mark(item: Row, depth: Depth) -> Safe:
    reached = item.reached is not None and depth <= item.reached
    sign, heard = _REACHED if reached else _MISSED if depth <= item.declared else _BEYOND
    tone = "reached" if reached else "missed" if depth <= item.declared else "beyond"
    return element("td", element("span", sign, aria_hidden="true"), hidden(heard), class_=f"mark {tone}")


def _legend() -> list[str]:
    pairs = (f"{sign} {heard}" for sign, heard in (_REACHED, _MISSED, _BEYOND))
    return [", ".join(pairs), ". Executed: by qemu, wine, node, an emulator, a simulator, a CPU driver or a device."]
