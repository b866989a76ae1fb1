"""A cell's artefacts: what each is, and how it was made."""

from typing import Any

from rich.filesize import decimal

from tvm.matrix.page import recipe
from tvm.matrix.page._html import Safe, element, join
from tvm.matrix.page._parts import (
    call_text,
    command,
    count,
    digest,
    duration,
    fold,
    link,
    number,
    row,
    table,
    words,
)
from tvm.matrix.page.view import Cell

_HEADS = ["Name", "Arch", "Target", "#Size", "sha256"]


def section(cell: Cell) -> Safe:
    """Return the table of a cell's artefacts; each has a second row that unfolds into evidence and commands."""
    items = cell.own["artefacts"]
    if not items:
        return element("p", "No artefact: no check that passed has published one.", class_="note")
    bodies = (_body(cell, item) for item in items)
    total = sum(item["size"] for item in items)
    return table(f"Artefacts of {cell.name}: {len(items)}, {decimal(total)}", _HEADS, bodies, class_="artefacts")


def _body(cell: Cell, item: dict[str, Any]) -> Safe:
    name = link(cell, item["path"], item["name"])
    made = element("tr", element("td", _how(cell, item), colspan=len(_HEADS)), class_="how")
    digits = digest(item["sha256"], item["name"])
    return element(
        "tbody",
        row(
            name, element("code", item["arch"]), element("code", item["target"]), number(decimal(item["size"])), digits
        ),
        made,
    )


def _how(cell: Cell, item: dict[str, Any]) -> Safe:
    calls = cell.own["calls"]
    numbers = recipe.steps(item, calls)
    best = next(entry for entry in item["evidence"] if entry["depth"] == item["depth"])
    summary = words(f"{best['depth']} by {best['by']}: {best['detail']}", count(len(numbers), "command"))
    evidence = (
        element("li", element("b", entry["depth"]), f" by {entry['by']}: {entry['detail']}")
        for entry in item["evidence"]
    )
    steps = element("ol", *(_step(calls[number]) for number in numbers), class_="steps")
    source = element("p", "Published by ", element("code", item["test"]), class_="note")
    return fold(summary, element("ul", *evidence), steps if numbers else Safe(""), source)


def _step(call: dict[str, Any]) -> Safe:
    tool = call["tool"]
    cached = "from the compile cache" if call.get("cached") else ""
    about = element("p", words(tool["version"], duration(call["seconds"]), f"in {call['cwd']}", cached), class_="note")
    return element("li", join([command(call_text(call)), about]))
