"""What changed since the run before of a cell: the last good one, where there is one."""

import re

from tvm.matrix import diff, manifest
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
        return element("p", "Changes: there is no run before this one to compare with.", class_="note")
    before = moment(str(cell.before["predicate"]["runDetails"]["metadata"]["finishedOn"]))
    good = manifest.own(cell.before)["status"] == "passed"
    run = "the good run before" if good else "the run before, which was not good"
    found = diff.changes(cell.before, cell.data)
    if not found:
        return element("p", f"Changes: none since {run}, ", before, ".", class_="note")
    body = element("tbody", *(_row(change) for change in found[:_SHOWN]))
    heads = ["What", "Name", "Before", "After"]
    caption = f"Changes of {cell.name} since {run}: {len(found)}"
    since = element("p", "That run ended ", before, ".", class_="note")
    return join([table(caption, heads, [body], class_="changes"), since, _rest(cell, len(found))])


def _row(change: Change) -> Safe:
    values = (_SHA256.sub(r"\1…", text) for text in (change.before, change.after))
    before, after = (element("td", element("code", text) if text else "—") for text in values)
    return row(change.kind, element("td", element("code", change.name)), before, after)


def _rest(cell: Cell, found: int) -> Safe:
    if found <= _SHOWN:
        return Safe("")
    line = f"python -m tvm.matrix diff {cell.before_at} {cell.folder.name}"
    more = element("p", f"And {count(found - _SHOWN, 'more change')}; in the folder of this page:", class_="note")
    return join([more, command(line)])
