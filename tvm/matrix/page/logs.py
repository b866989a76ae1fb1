"""The end of a check's output, and the tests of it that failed."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from junitparser import Error, Failure, TestSuite
from rich.filesize import decimal

from tvm.matrix import collect
from tvm.matrix.page._html import Safe, element
from tvm.matrix.page._parts import command, count, fold, link
from tvm.matrix.page.view import Cell

# How many bytes of a log are shown, and how many tests that failed: the page must stay small.
_PASSED, _FAILED, _TESTS = 1_500, 12_000, 20
_MESSAGE = 300


@dataclass(frozen=True, kw_only=True)
class Tail:
    """The end of a file: its text from the first whole line on, and how many bytes the whole file has."""

    text: str
    size: int


def tail(path: Path, limit: int) -> Tail:
    """Return the last `limit` bytes of a file; a file that is not there is empty."""
    if not path.is_file():
        return Tail(text="", size=0)
    with path.open("rb") as file:
        whole = file.seek(0, 2)
        file.seek(max(0, whole - limit))
        data = file.read(limit)
    if whole > limit:
        data = data.partition(b"\n")[2] or data
    return Tail(text=data.decode("utf-8", errors="replace"), size=whole)


def output(cell: Cell, check: str, argv: Sequence[str], *, failed: bool) -> Safe:
    """Return the end of a check's output with a link to all of it, and its command; folded unless the check failed."""
    path = f"logs/check_{check}.log"
    end = tail(cell.folder / path, _FAILED if failed else _PASSED)
    parts = [command(shlex.join(argv))] if argv else []
    if end.size:
        label = f"end of the output of {check}"
        whole = element("p", link(cell, path, f"whole output, {decimal(end.size)}"), class_="note")
        parts += [element("pre", end.text, tabindex=0, role="region", aria_label=label), whole]
    return fold(f"output and command of {check}", *parts, open_=failed) if parts else Safe("")


def failures(cell: Cell, check: str) -> Safe:
    """Return the tests of a check that failed, with the first line of what each says."""
    found = [case for suite in collect.suites(cell.folder / "logs" / f"check_{check}.xml") for case in _failed(suite)]
    if not found:
        return Safe("")
    items = [element("li", element("code", name), f" {message}") for name, message in found[:_TESTS]]
    if len(found) > _TESTS:
        items.append(element("li", f"and {count(len(found) - _TESTS, 'more test')}"))
    return element("ul", *items, class_="failures")


def _failed(suite: TestSuite) -> list[tuple[str, str]]:
    return [
        (str(case.name), str(result.message or "").partition("\n")[0][:_MESSAGE])
        for case in suite
        for result in case.result
        if isinstance(result, Error | Failure)
    ]
