"""How a cell's artefacts were made, as data that the page's script writes out when a fold is opened.

Written out, it would be most of the page: a command has dozens of words, and nearly all of them stand in a hundred other commands.
Here each text stands once.
"""

import json
import shlex
from collections.abc import Iterable
from typing import Any

from tvm.matrix.page import recipe
from tvm.matrix.page._html import Safe, clean
from tvm.matrix.page._parts import duration


class Made:
    """Collects artefacts, and the texts that they have in common."""

    def __init__(self) -> None:
        """Begin with none."""
        self._texts: dict[str, int] = {}
        self._items: list[Any] = []

    def add(self, item: dict[str, Any], calls: list[dict[str, Any]]) -> tuple[int, int]:
        """Add an artefact; return its number and that of its commands."""
        steps = [calls[number] for number in recipe.steps(item, calls)]
        evidence = [self._numbers([entry["depth"], entry["by"], entry["detail"]]) for entry in item["evidence"]]
        commands = [[self._numbers(_about(call)), self._numbers(_words(call))] for call in steps]
        self._items.append([evidence, commands, *self._numbers([item["test"]])])
        return len(self._items) - 1, len(steps)

    def script(self) -> Safe:
        """Return the data as an element: no text can end it, for "<" never stands in it."""
        data = {"texts": list(self._texts), "artefacts": self._items}
        text = json.dumps(data, separators=(",", ":")).replace("<", r"\u003c")
        return Safe(f'<script type="application/json" class="made">{text}</script>')

    def _numbers(self, texts: Iterable[str]) -> list[int]:
        return [self._texts.setdefault(clean(text), len(self._texts)) for text in texts]


def _words(call: dict[str, Any]) -> list[str]:
    """Return a tool call as a shell would take it, word by word; of a library its name and its options."""
    words = [shlex.quote(word) for word in call["argv"]]
    return words if call["kind"] == "process" else [f"{call['tool']['path'].rpartition('/')[2]}:", *words]


def _about(call: dict[str, Any]) -> list[str]:
    cached = ["from the compile cache"] if call.get("cached") else []
    return [*filter(None, [call["tool"]["version"]]), duration(call["seconds"]), f"in {call['cwd']}", *cached]
