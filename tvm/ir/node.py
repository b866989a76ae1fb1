"""What all nodes of the IR share."""

from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """A place in a source file; line and column count from 1."""

    file: str
    line: int
    column: int


@dataclass(frozen=True, eq=False)
class Node:
    """A node never changes. Two nodes are equal only if they are one: structural equality is a function of its own."""

    span: Span | None = field(default=None, kw_only=True, repr=False)
