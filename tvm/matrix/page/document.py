"""The whole page: one file that needs nothing beside it and asks no network."""

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from tvm.matrix.coverage import Row, summary
from tvm.matrix.model import Project
from tvm.matrix.page import cell as cells_section
from tvm.matrix.page import coverage, overview
from tvm.matrix.page._html import Safe, element, join
from tvm.matrix.page._parts import anchor, count, status, words
from tvm.matrix.page.view import Cell, rank


def document(project: Project, rows: Sequence[Row], found: Sequence[Cell], tree_sha256: str) -> str:
    """Return the page as HTML: the same bytes for the same results."""
    cells = sorted(found, key=rank)
    known = {cell.name: cell for cell in cells}
    absent = [name for name in project.matrix.cells if name not in known]
    main = element(
        "main",
        coverage.section(rows, known),
        overview.section(cells, absent),
        _details(project, cells),
        id="main",
        tabindex=-1,
    )
    said = element("p", id="said", class_="heard", role="status", aria_live="polite")
    body = element(
        "body",
        _skip(),
        _header(rows, cells, absent, tree_sha256),
        main,
        said,
        Safe(f"<script>{_asset('page.js')}</script>"),
    )
    return f"<!doctype html>\n{element('html', _head(), body, lang='en')}\n"


def _head() -> Safe:
    style, script = _asset("page.css"), _asset("page.js")
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'; form-action 'none'"
    )
    return element(
        "head",
        element("meta", charset="utf-8"),
        # Nothing on the page can load anything, whatever a name or a log says.
        Safe(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", "tvm-matrix: results"),
        Safe(f"<style>{style}</style>"),
    )


def _skip() -> Safe:
    return element("a", "Skip to the results", href="#main", class_="skip")


def _header(rows: Sequence[Row], cells: Sequence[Cell], absent: Sequence[str], tree_sha256: str) -> Safe:
    tree = element(
        "p",
        "Results of the tree ",
        element("code", tree_sha256[:12]),
        ". Results of another tree are grey.",
        class_="note",
    )
    links = (
        element("a", text, href=f"#{name}")
        for name, text in (("coverage", "Coverage"), ("cells", "Cells"), ("details", "Details"))
    )
    return element(
        "header",
        element("h1", "tvm-matrix"),
        _state(rows, cells, absent),
        tree,
        element("nav", *links, aria_label="Sections"),
    )


def _state(rows: Sequence[Row], cells: Sequence[Cell], absent: Sequence[str]) -> Safe:
    """Return the one line that most readers come for, the names of failed cells in it."""
    failed, unavailable = [cell for cell in cells if cell.failed], [cell for cell in cells if cell.unavailable]
    old = sum(not cell.current for cell in cells)
    passed = len(cells) - len(failed) - len(unavailable) - old
    parts = [
        _named(failed, "failed", "bad"),
        _named(unavailable, "unavailable", "gap"),
        status(f"{passed} passed", "good") if passed else "",
        f"{count(old, 'cell')} of another tree" if old else "",
        f"{len(absent)} not run" if absent else "",
        summary(rows),
    ]
    return element("p", words(*parts), class_="state")


def _named(cells: Sequence[Cell], word: str, tone: str) -> str:
    """Return how many cells ended in a way, with their names; nothing where none did."""
    names = (piece for cell in cells for piece in (" ", anchor(cell)))
    return join([status(f"{len(cells)} {word}:", tone), *names]) if cells else ""


def _details(project: Project, cells: Sequence[Cell]) -> Safe:
    head = element("h2", "Cell by cell", id="details")
    none = (
        element("p", "No cell has a result yet: ", element("code", "nox -s engine CELL"), " makes one.")
        if not cells
        else Safe("")
    )
    return element(
        "section", head, none, *(cells_section.section(project, cell) for cell in cells), aria_labelledby="details"
    )


@cache
def _asset(name: str) -> Safe:
    """Return the style or the script, which stand beside this file."""
    return Safe(Path(__file__).with_name(name).read_text(encoding="utf-8"))


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
