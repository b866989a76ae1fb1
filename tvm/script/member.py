"""A member of a script namespace as a row of a table: its signature, what it gives, the operation that it calls."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tvm.ir import CallEffectKind, Expr, Op

# A parameter's name and what was made of its argument: an expression, a tuple of them for *args, None for one left out.
Arguments: TypeAlias = Mapping[str, object]
Build: TypeAlias = Callable[[str, Arguments], Expr]

_EFFECTS = {"opaque": CallEffectKind.UpdateState, "pure": CallEffectKind.Pure, "reads": CallEffectKind.ReadState}


@dataclass(frozen=True)
class Member:
    """One row: `Member("warp_sum(value, width: power_of_two(2, 32) = 32) -> value.ty", "The sum ...")`.

    An annotation is the kind of a parameter (tvm.script.kinds, and those of the table); without one it is any value. After the
    arrow stands what the call gives: a dtype as text, `X.ty` the type of parameter X, `type[X]` the dtype that X names, `int[X]`
    the integer of X bits; without an arrow nothing.
    """

    signature: str
    doc: str
    source: str = ""
    effect: Literal["opaque", "pure", "reads"] = "opaque"
    calls: str = ""
    """The operation, and its arguments where they are not the parameters in order: "cuda.warp_reduce(value, 'sum', width)"."""
    flat: str | None = ""
    """apache-tvm's name of the builder function, where it does not follow from the operation; None where it has none."""
    build: Build | None = None
    """Makes the expression from the operation's name and the arguments, where a row cannot say how."""

    @property
    def name(self) -> str:
        """The name within the namespace; that of an inner namespace stands before a dot."""
        return self.signature.partition("(")[0]

    def op(self, namespace: str) -> str:
        """Return the name of the operation, without the "tirx." that all have."""
        return self.calls.partition("(")[0] or f"{namespace}.{self._flat}"

    def builder_name(self, namespace: str) -> str | None:
        """Return apache-tvm's flat name of the builder: cuda_warp_sum, mma_fill."""
        if self.flat != "":
            return self.flat
        called = self.calls.partition("(")[0]
        return called if called and "." not in called else f"{namespace}_{self._flat}"

    @property
    def _flat(self) -> str:
        return self.name.replace(".", "_")


def operations(namespace: str, members: Iterable[Member]) -> dict[str, Op]:
    """Return the operations that the members call, by full name.

    Where several call one, the member of the operation's own name says its effect and how it is printed.
    """
    rows = sorted(members, key=lambda member: bool(member.calls))
    found: dict[str, Op] = {}
    for row in rows:
        name = f"tirx.{row.op(namespace)}"
        if name not in found:
            found[name] = Op(name, effect=_EFFECTS[row.effect], script_name=f"{namespace}.{row.name}")
    return found
