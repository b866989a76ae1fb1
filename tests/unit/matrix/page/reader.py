"""Reads HTML back as a tree. What is not closed in order, or escapes into markup, is an error."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = {"meta", "rect"}


@dataclass(kw_only=True)
class Node:
    """One element: its attributes, and its children in order, text among them."""

    name: str
    attributes: dict[str, str | None] = field(default_factory=dict)
    children: list["Node | str"] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All text below."""
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    def all(self, name: str = "", **attributes: str) -> list["Node"]:
        """Return the elements below of that name and with those attributes; `class_` is one of the classes."""
        return [node for node in self._below() if node.is_like(name, attributes)]

    def one(self, name: str = "", **attributes: str) -> "Node":
        """Return the only such element."""
        (node,) = self.all(name, **attributes)
        return node

    def is_like(self, name: str, attributes: dict[str, str]) -> bool:
        """Say whether it has that name and those attributes."""
        classes = (self.attributes.get("class") or "").split()
        return (not name or self.name == name) and all(
            value in classes if key == "class_" else self.attributes.get(key.replace("_", "-")) == value
            for key, value in attributes.items()
        )

    def _below(self) -> Iterator["Node"]:
        for child in self.children:
            if isinstance(child, Node):
                yield child
                yield from child._below()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Node(name="document")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"an attribute twice: {tag} {attrs}"
        node = Node(name=tag, attributes=dict(attrs))
        self.open[-1].children.append(node)
        if tag not in _VOID:
            self.open.append(node)

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].name == tag, f"</{tag}> closes {self.open[-1].name}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def read(text: str) -> Node:
    """Return the tree of a page or of a part of it."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    assert len(reader.open) == 1, f"not closed: {reader.open[-1].name}"
    return reader.open[0]


def rows(table: Node) -> list[list[str]]:
    """Return the text of a table's cells, row by row, its heads first."""
    return [[cell.text for cell in row.children if isinstance(cell, Node)] for row in table.all("tr")]
