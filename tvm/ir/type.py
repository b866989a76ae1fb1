"""Types of expressions."""

from dataclasses import dataclass, field

from tvm.ir.dtypes import DType, dtype


@dataclass(frozen=True)
class Type:
    """The type of an expression. Types are values: two that say the same are equal."""


@dataclass(frozen=True)
class PrimType(Type):
    """A number, a vector of numbers, "bool", or "void": nothing."""

    name: str

    def __post_init__(self) -> None:
        dtype(self.name)

    @property
    def dtype(self) -> DType:
        """The element type with its bits and lanes."""
        return dtype(self.name)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class PointerType(Type):
    """A pointer to elements in a storage scope ("" or "global", "shared", "local"...); None points to what is not known."""

    element_type: Type | None = None
    storage_scope: str = ""

    def __str__(self) -> str:
        return "handle"


@dataclass(frozen=True)
class TupleType(Type):
    """Several values together."""

    fields: tuple[Type, ...] = field(default=())

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.fields))})"


@dataclass(frozen=True)
class StringType(Type):
    """A text that is known when the kernel is compiled."""

    def __str__(self) -> str:
        return "string"


def as_type(given: Type | DType | str) -> Type:
    """Return a type: "handle" is a pointer to what is not known, any other name an element type."""
    if isinstance(given, Type):
        return given
    name = str(given)
    return PointerType() if name == "handle" else PrimType(name)
