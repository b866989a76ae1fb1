"""Read back what a box left in /out: artefacts, tool calls, junit files. Nothing of it is trusted."""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from junitparser import JUnitXml, JUnitXmlError, TestSuite
from pydantic import TypeAdapter

from tvm.error import CellFailedError
from tvm.matrix.model import Depth
from tvm.matrix.outcome import Artefact
from tvm.support import record

_ARTEFACT = TypeAdapter(Artefact)
_CALL = TypeAdapter(record.ToolCall)
# What the artefact fixture lets through as a name; a path has the same parts.
_NAME = re.compile(r"[A-Za-z0-9._+-]+(?:/[A-Za-z0-9._+-]+)*")
# What a line that is not what we write may raise: pydantic's errors, and a nesting too deep for the JSON reader.
_MALFORMED = (ValueError, KeyError, TypeError, RecursionError)

_Row = TypeVar("_Row")


def artefacts(folder: Path) -> tuple[Artefact, ...]:
    """Return the published artefacts, sorted by name, each compared with the file that came back."""
    found = sorted(_rows(folder / "artefacts.jsonl", _artefact), key=lambda artefact: artefact.name)
    names = [artefact.name for artefact in found]
    for artefact in found:
        path = folder / artefact.path
        if names.count(artefact.name) > 1:
            msg = f"artefact {artefact.name} was published twice"
            raise CellFailedError(msg, fix="give each artefact of a cell a name of its own")
        if not path.is_file() or (path.stat().st_size, record.digest(path)) != (artefact.size, artefact.sha256):
            msg = f"artefact {artefact.name} did not come back as it was published"
            raise CellFailedError(msg, fix="a check must not touch an artefact after it has published it")
    return tuple(found)


def require_made(found: Sequence[Artefact], made: Sequence[record.ToolCall]) -> None:
    """Refuse an artefact that no recorded call wrote: the manifest could not say what made it."""
    written = {output.sha256 for call in made for output in call.outputs}
    for artefact in found:
        if artefact.sha256 not in written:
            msg = f"artefact {artefact.name}: no recorded call of a tool wrote it, so that nothing says how it was made"
            fix = "make it by a function of tvm.support, or by tvm.support.process.run(..., outputs=[FILE])"
            raise CellFailedError(msg, fix=fix)


def calls(folder: Path) -> tuple[record.ToolCall, ...]:
    """Return the tool calls of all checks in the order of their files and lines."""
    files = sorted(folder.glob("calls-*.jsonl"))
    return tuple(call for path in files for call in _rows(path, _CALL.validate_python))


def counts(path: Path) -> tuple[int, int]:
    """Return how many tests a junit file holds and how many of them did not pass (a skip did not pass)."""
    found = suites(path)
    return (
        sum(suite.tests for suite in found),
        sum(suite.failures + suite.errors + suite.skipped for suite in found),
    )


def suites(path: Path) -> list[TestSuite]:
    """Return the test suites of a junit file; none where it is missing or was cut off."""
    try:
        report = JUnitXml.fromfile(str(path))
        found = list(report) if isinstance(report, JUnitXml) else [report]
        # The attributes are text until they are asked for.
        whole = all(
            isinstance(number, int)
            for suite in found
            for number in (suite.tests, suite.failures, suite.errors, suite.skipped)
        )
    except (OSError, JUnitXmlError, SyntaxError, ValueError):
        return []
    return found if whole else []


def _artefact(line: Any) -> Artefact:
    evidence = [{**item, "depth": Depth[item["depth"]]} for item in line["evidence"]]
    artefact = _ARTEFACT.validate_python({**line, "evidence": evidence})
    if not artefact.evidence:
        msg = "nothing was shown about it"
        raise ValueError(msg)
    for name in (artefact.name, artefact.path):
        if not _NAME.fullmatch(name) or {".", ".."} & set(name.split("/")):
            msg = f"no safe name: {name!r}"
            raise ValueError(msg)
    return artefact


def _rows(path: Path, read: Callable[[Any], _Row]) -> list[_Row]:
    """Return what `read` makes of each line of a file of JSON lines; a file that is not there has none."""
    if not path.is_file():
        return []
    lines = enumerate(path.read_bytes().splitlines(), 1)
    return [_row(f"{path.name}:{number}", text, read) for number, text in lines]


def _row(place: str, text: bytes, read: Callable[[Any], _Row]) -> _Row:
    try:
        return read(json.loads(text))
    except _MALFORMED:
        msg = f"{place}: not what tvm-matrix writes there"
        raise CellFailedError(msg, fix="only the artefact fixture and the recorder may write there") from None
