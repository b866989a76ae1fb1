"""What a GitHub job shows on its page: coverage first, then the cells, as Markdown."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tvm.matrix import coverage
from tvm.matrix.coverage import Row
from tvm.matrix.outcome import Status
from tvm.matrix.report import Entry
from tvm.matrix.results import storage
from tvm.support.record import strip_credentials

VARIABLE = "GITHUB_STEP_SUMMARY"
# What Markdown or HTML would read as more than text.
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~&$@-])")

_UNAVAILABLE = "⚠️"
_ORDER = {"unavailable": 1, "passed": 2}


def append(rows: Sequence[Row], found: Sequence[Entry], environment: Mapping[str, str] = os.environ) -> None:
    """Append the summary to the file that GitHub names; elsewhere there is none, and nothing is written."""
    if not (name := environment.get(VARIABLE)):
        return
    path = Path(name)
    with storage(path), path.open("a", encoding="utf-8") as file:
        file.write(markdown(rows, found))


def markdown(rows: Sequence[Row], found: Sequence[Entry]) -> str:
    """Return the summary: gaps and failures stand first in their tables."""
    gaps_first = sorted(rows, key=lambda row: row.met)
    failures_first = sorted(found, key=lambda entry: (_ORDER.get(entry.status, 0), entry.place))
    parts = [
        f"## {coverage.summary(rows)}",
        _table(["", "cell", "arch", "declared", "reached", "by, or why not"], map(_arch, gaps_first)),
        "## Cells",
        _table(["", "cell", "result", "checks", "artefacts", "seconds", "why"], map(_cell, failures_first)),
    ]
    return "\n\n".join(parts) + "\n"


def _arch(row: Row) -> list[str]:
    reached = row.reached.name if row.reached else "nothing"
    return [_mark(good=row.met), row.cell, row.arch, row.declared.name, reached, row.by if row.met else row.why]


def _cell(entry: Entry) -> list[str]:
    own = entry.own
    checks = ", ".join(map(_check, own["checks"]))
    numbers = [str(len(own["artefacts"])), f"{own['seconds']:.1f}"]
    mark = _UNAVAILABLE if entry.status == Status.UNAVAILABLE.value else _mark(good=entry.status == "passed")
    return [mark, entry.place, entry.status, checks, *numbers, own["why"]]


def _check(item: Mapping[str, Any]) -> str:
    if item["status"] == Status.UNAVAILABLE.value:
        return f"{item['name']} unavailable"
    return f"{item['name']} {item['tests'] - item['failures']}/{item['tests']}"


def _mark(*, good: bool) -> str:
    return "✅" if good else "❌"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *(list(map(_text, row)) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _text(text: str) -> str:
    """Return text that Markdown shows as it is, in one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(strip_credentials(text).split()))
