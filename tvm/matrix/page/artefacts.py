"""A cell's artefacts: what each is, and how it was made."""

from typing import Any

from rich.filesize import decimal

from tvm.matrix.page._html import Safe, element, join
from tvm.matrix.page._parts import count, digest, fold, link, number, row, table, words
from tvm.matrix.page.made import Made
from tvm.matrix.page.view import Cell

_HEADS = ["Name", "Arch", "Target", "#Size", "sha256"]


def section(cell: Cell) -> Safe:
    """Return the table of a cell's artefacts; each has a second row that unfolds into evidence and commands."""
    items = cell.own["artefacts"]
    if not items:
        return element("p", "No artefact: no check that passed has published one.", class_="note")
    made = Made()
    bodies = [_body(cell, item, made) for item in items]
    total = sum(item["size"] for item in items)
    shown = table(f"Artefacts of {cell.name}: {len(items)}, {decimal(total)}", _HEADS, bodies, class_="artefacts")
    silent = element(
        "p", "Without its script the page does not show the commands; manifest.json has them.", class_="note"
    )
    return join([shown, element("noscript", silent), made.script()])


def _body(cell: Cell, item: dict[str, Any], made: Made) -> Safe:
    name = link(cell, item["path"], item["name"])
    how = element("tr", element("td", _how(cell, item, made), colspan=len(_HEADS)), class_="how")
    digits = digest(item["sha256"])
    return element(
        "tbody",
        row(
            name, element("code", item["arch"]), element("code", item["target"]), number(decimal(item["size"])), digits
        ),
        how,
    )


def _how(cell: Cell, item: dict[str, Any], made: Made) -> Safe:
    place, commands = made.add(item, cell.own["calls"])
    best = next(entry for entry in item["evidence"] if entry["depth"] == item["depth"])
    summary = words(f"{best['depth']} by {best['by']}: {best['detail']}", count(commands, "command"))
    return fold(summary, made=place)
