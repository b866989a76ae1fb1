"""A script namespace whose members are rows of a table, made functions at their first use."""

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from tvm._registry import suggestion
from tvm.ir import Expr, Op
from tvm.script.builder import Builder, document, make
from tvm.script.kinds import Kinds
from tvm.script.member import Member, operations

Wrap: TypeAlias = Callable[[Builder], Builder]

# What a member that has members takes depends on it: its docstring says what.
_ANYTHING = inspect.Signature(
    [
        inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL),
        inspect.Parameter("kwds", inspect.Parameter.VAR_KEYWORD),
    ]
)


@dataclass(frozen=True, kw_only=True)
class Table:
    """The rows of a namespace, and the kinds of parameters that only they have."""

    name: str
    members: tuple[Member, ...]
    kinds: Kinds

    def below(self, inner: str) -> dict[str, Member | None]:
        """Return the rows within an inner namespace ("" for all) by the next part of their names; None: only further ones."""
        found: dict[str, Member | None] = {}
        for member in self.members:
            if member.name.startswith(inner):
                head, dot, _ = member.name.removeprefix(inner).partition(".")
                found[head] = found.get(head) if dot else member
        return found


@dataclass(frozen=True)
class Tables:
    """The tables of a backend."""

    tables: tuple[Table, ...]

    def operations(self, prefix: str) -> dict[str, Op]:
        """Return the operations whose names begin with `prefix`."""
        found = [operations(table.name, table.members) for table in self.tables]
        return {name: op for some in found for name, op in some.items() if name.startswith(prefix)}

    def namespaces(self, wrap: Wrap | None = None) -> "dict[str, TableNamespace]":
        """Return the namespaces by name, the same at each call; with `wrap`, which is put around each builder, new ones."""
        return self._shared if wrap is None else self._made(wrap)

    def _made(self, wrap: Wrap | None = None) -> "dict[str, TableNamespace]":
        return {table.name: TableNamespace(table, wrap=wrap) for table in self.tables}

    @cached_property
    def _shared(self) -> "dict[str, TableNamespace]":
        return self._made()


class TableNamespace:
    """The members of a table, or of an inner namespace of it, as attributes: `Tx.cuda`, `Tx.cuda.tcgen05`."""

    def __init__(self, table: Table, *, inner: str = "", wrap: Wrap | None = None) -> None:
        """`inner` is the inner namespace's name with its dot; `wrap` is put around each member."""
        self._table = table
        self._inner = inner
        self._wrap = wrap
        self._rows = table.below(inner)

    def __getattr__(self, name: str) -> object:
        """Make the member at its first use."""
        rows: dict[str, Member | None] = vars(self).get("_rows", {})
        if name not in rows:
            # A copy that is being made has no rows yet, and is asked for names that no member has.
            label = self._label if rows else type(self).__name__
            raise AttributeError(unknown_member(label, name, rows), name=name, obj=self)
        # Of two threads that make it at once both get the first.
        return vars(self).setdefault(name, self._make(name, rows[name]))

    def __dir__(self) -> list[str]:
        return sorted(self._rows)

    def __repr__(self) -> str:
        return f"<namespace {self._label}: {', '.join(sorted(self._rows))}>"

    @property
    def _label(self) -> str:
        return f"Tx.{self._table.name}.{self._inner}".removesuffix(".")

    def _make(self, name: str, row: Member | None) -> object:
        inner = f"{self._inner}{name}."
        builder = None if row is None else self._builder(row)
        if not self._table.below(inner):
            return builder
        if builder is None or row is None:
            return TableNamespace(self._table, inner=inner, wrap=self._wrap)
        return CallableNamespace(self._table, inner=inner, wrap=self._wrap, builder=builder, doc=document(row))

    def _builder(self, row: Member) -> Builder:
        made = make(self._table.name, row, self._table.kinds)
        return self._wrap(made) if self._wrap else made


class CallableNamespace(TableNamespace):
    """A member that has members: `Tx.nvshmem.getmem_nbi(...)` and `Tx.nvshmem.getmem_nbi.warp(...)`."""

    def __init__(self, table: Table, *, inner: str, wrap: Wrap | None, builder: Builder, doc: str) -> None:
        """`builder` is what a call of the namespace itself does."""
        super().__init__(table, inner=inner, wrap=wrap)
        self._call = builder
        self.__doc__ = doc
        self.__signature__ = _ANYTHING
        if name := vars(builder).get("__tir_op_name__"):
            self.__tir_call_op_name__ = name

    def __call__(self, *args: object, **kwds: object) -> Expr:
        """Build the call."""
        return self._call(*args, **kwds)


def unknown_member(label: str, name: str, known: Iterable[str]) -> str:
    """Return the text of the error for a member that a namespace has not, with those that look like it."""
    close = suggestion(name, list(known))
    return f"{label} has no member {name!r}{'; ' + close if close else ''}"
