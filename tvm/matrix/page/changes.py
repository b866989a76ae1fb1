"""What changed since the last good run of a cell."""

import re

from tvm.matrix import diff
from tvm.matrix.diff import Change
from tvm.matrix.page._html import Safe, element, join
from tvm.matrix.page._parts import command, count, moment, row, table
from tvm.matrix.page.view import Cell

# How many changes are shown: another suite changes every package.
_SHOWN = 100
_SHA256 = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{52}\b")


def section(cell: Cell) -> Safe:
    """Return the table of changes, or a sentence where there is nothing to compare or nothing changed."""
    if cell.before is None:
        return element("p", "Changes: there is no good run before this one to compare with.", class_="note")
    before = moment(str(cell.before["predicate"]["runDetails"]["metadata"]["finishedOn"]))
    found = diff.changes(cell.before, cell.data)
    if not found:
        return element("p", "Changes: none since the good run before, ", before, ".", class_="note")
    body = element("tbody", *(_row(change) for change in found[:_SHOWN]))
    heads = ["What", "Name", "Before", "After"]
    caption = f"Changes of {cell.name} since the good run before: {len(found)}"
    since = element("p", "That run ended ", before, ".", class_="note")
    return join([table(caption, heads, [body], class_="changes"), since, _rest(cell, len(found))])


def _row(change: Change) -> Safe:
    values = (_SHA256.sub(r"\1…", text) for text in (change.before, change.after))
    before, after = (element("td", element("code", text) if text else "—") for text in values)
    return row(change.kind, element("td", element("code", change.name)), before, after)


def _rest(cell: Cell, found: int) -> Safe:
    if found <= _SHOWN:
        return Safe("")
    old = f"{cell.folder.name}/previous.json" if not cell.failed else cell.name
    line = f"python -m tvm.matrix diff {old} {cell.folder.name}"
    more = element("p", f"And {count(found - _SHOWN, 'more change')}; in the folder of this page:", class_="note")
    return join([more, command(line)])
