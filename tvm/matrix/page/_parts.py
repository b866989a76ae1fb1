"""What several sections are made of: tables, marks, bars, hashes, commands with a button that copies them."""

from collections.abc import Iterable, Sequence
from urllib.parse import quote

from tvm.matrix.page._html import Safe, Value, clean, element, join
from tvm.matrix.page.view import Cell

# The longest command that is shown; the whole one stands in the manifest.
_COMMAND = 2_000
_HASH = 12


def table(caption: str, heads: Sequence[str], bodies: Iterable[str], *, class_: str = "") -> Safe:
    """Return a table in a frame that scrolls sideways. A head that begins with "#" stands over numbers."""
    cells = (
        element("th", head.lstrip("#"), scope="col", class_="number" if head.startswith("#") else None)
        for head in heads
    )
    head = element("thead", element("tr", *cells))
    content = (element("caption", caption), head, *bodies)
    inner = element("table", *content, class_=class_ or None)
    return element("div", inner, class_="scroll")


def row(header: str, *cells: str, class_: str | None = None, **attributes: Value) -> Safe:
    """Return a row whose first cell is its header."""
    data = (cell if cell.startswith("<td") and isinstance(cell, Safe) else element("td", cell) for cell in cells)
    return element("tr", element("th", header, scope="row"), *data, class_=class_, **attributes)


def number(text: str) -> Safe:
    """Return a cell of a number."""
    return element("td", text, class_="number")


def hidden(text: str) -> Safe:
    """Return text for who listens instead of looking."""
    return element("span", text, class_="heard")


def status(word: str, tone: str) -> Safe:
    """Return a status: the word says it, the mark and its colour only repeat it."""
    return element("span", element("span", class_="dot", aria_hidden="true"), word, class_=f"status {tone}")


def bar(seconds: float, longest: float) -> Safe:
    """Return a duration in seconds with a bar whose length is its part of the longest one."""
    part = 100 * seconds / longest if longest > 0 else 0
    rect = element("rect", width=f"{min(100, max(0, part)):.1f}", height=8)
    drawn = element(
        "svg",
        rect,
        class_="bar",
        viewBox="0 0 100 8",
        preserveAspectRatio="none",
        aria_hidden="true",
        focusable="false",
    )
    return element("td", drawn, duration(seconds), class_="time")


def duration(seconds: float) -> str:
    """Return seconds as "0.12 s", "14.3 s" or "3 min 5 s"."""
    if seconds < 1:
        return f"{seconds:.2f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{seconds:.1f} s"


def moment(rfc3339: str) -> Safe:
    """Return a moment; the script turns it into an age, for the page must be the same however old it is."""
    shown = f"{rfc3339[:10]} {rfc3339[11:16]} UTC"
    return element("time", shown, datetime=rfc3339, data_age=True)


def digest(sha256: str) -> Safe:
    """Return the beginning of a sha256; the script puts a button behind it that copies all of it."""
    if not sha256:
        return Safe("")
    return element("span", element("code", sha256[:_HASH], title=sha256), class_="copied")


def command(text: str, *, what: str = "copy command") -> Safe:
    """Return a command with a button that copies it. One that is too long is cut, and cannot be copied."""
    whole = clean(text)
    if len(whole) > _COMMAND:
        return element(
            "div",
            element("code", f"{whole[:_COMMAND]} … (cut: the whole command is in the manifest)"),
            class_="command",
        )
    return element("div", element("code", whole), copy(what), class_="command")


def copy(label: str) -> Safe:
    """Return a button that copies what stands before it: its title, else its text."""
    return element("button", "copy", type="button", class_="copy", aria_label=label)


def fold(summary: str, *content: str, open_: bool = False, class_: str | None = None, made: int | None = None) -> Safe:
    """Return what is shown when its summary is clicked: the content, or what the script writes of the artefact `made`."""
    return element("details", element("summary", summary), *content, open_=open_, class_=class_, data_made=made)


def link(cell: Cell, path: str, text: str) -> Safe:
    """Return a link to a file of a cell's result, relative to the page."""
    return element("a", text, href=quote(f"{cell.folder.name}/{path}"))


def anchor(cell: Cell) -> Safe:
    """Return a link to what the page says of a cell."""
    return element("a", cell.name, href=f"#cell-{cell.name}")


def words(*parts: str) -> Safe:
    """Return parts with a dot between them; empty ones are left out."""
    shown = [part for part in parts if part]
    dot = Safe(" · ")
    return join(piece for at, part in enumerate(shown) for piece in ((dot, part) if at else (part,)))


def count(number: int, noun: str) -> str:
    """Return "1 check" or "3 checks"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
