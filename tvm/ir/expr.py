"""Expressions: variables, constants, calls."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tvm.error import TVMError
from tvm.ir.dtypes import DType
from tvm.ir.node import Node, Span
from tvm.ir.op import Op
from tvm.ir.type import PrimType, StringType, Type, as_type


class ConversionError(TVMError, TypeError):
    """A Python value is no expression and cannot become one."""


@dataclass(frozen=True, eq=False)
class Expr(Node):
    """Anything that has a value of a type."""

    ty: Type = field(init=False)

    @property
    def dtype(self) -> str:
        """The type's name: "float32", "handle" for pointers, "void"."""
        return str(self.ty)

    def _set(self, **fields: object) -> None:
        # What a frozen dataclass offers to its own constructor.
        for name, value in fields.items():
            object.__setattr__(self, name, value)


@dataclass(frozen=True, eq=False, init=False)
class Var(Expr):
    """A variable. Two variables of one name are two variables."""

    name: str

    def __init__(self, name: str, ty: Type | DType | str = "int32", span: Span | None = None) -> None:
        """`ty` may be the name of an element type; "handle" is a pointer to what is not known."""
        self._set(name=name, ty=as_type(ty), span=span)


@dataclass(frozen=True, eq=False, init=False)
class IntImm(Expr):
    """An integer or bool constant."""

    value: int

    def __init__(self, ty: PrimType | DType | str, value: int, span: Span | None = None) -> None:
        """ConversionError when the type cannot hold the value."""
        kind = PrimType(str(ty))
        low, high = _range(kind.dtype)
        if not low <= value <= high:
            msg = f"{value} is out of the range of {kind}: {low} to {high}"
            raise ConversionError(msg)
        self._set(ty=kind, value=int(value), span=span)


@dataclass(frozen=True, eq=False, init=False)
class FloatImm(Expr):
    """A floating-point constant; it keeps the Python float, which its type may round later."""

    value: float

    def __init__(self, ty: PrimType | DType | str, value: float, span: Span | None = None) -> None:
        """ConversionError for a type that is no scalar floating-point one."""
        kind = PrimType(str(ty))
        if not kind.dtype.is_float or kind.dtype.lanes != 1:
            msg = f"{kind} is no floating-point type of one lane"
            raise ConversionError(msg)
        self._set(ty=kind, value=float(value), span=span)


@dataclass(frozen=True, eq=False, init=False)
class StringImm(Expr):
    """A text constant: a name, an option, source code."""

    value: str

    def __init__(self, value: str, span: Span | None = None) -> None:
        """Keep the text."""
        self._set(ty=StringType(), value=value, span=span)


@dataclass(frozen=True, eq=False, init=False)
class Call(Expr):
    """A call of an operation, or of a function held by an expression."""

    op: Op | Expr
    args: tuple[Expr, ...]
    attrs: Mapping[str, object]
    ty_args: tuple[Type, ...]

    def __init__(
        self,
        op: Op | Expr | str,
        args: Sequence[object] = (),
        attrs: Mapping[str, object] | None = None,
        ty_args: Sequence[Type] = (),
        span: Span | None = None,
        ret_ty: Type | DType | str = "void",
    ) -> None:
        """`op` may be the name of a registered operation; Python values among `args` become constants (see convert)."""
        self._set(
            op=Op.get(op) if isinstance(op, str) else op,
            args=tuple(convert(arg) for arg in args),
            attrs=dict(attrs or {}),
            ty_args=tuple(ty_args),
            span=span,
            ty=as_type(ret_ty),
        )


def convert(value: object) -> Expr:
    """Return an expression for a Python value.

    bool is bool; int is int32, int64 if it does not fit, uint64 above that; float is float32; str a text constant. What has an
    attribute `data` of a pointer type, as buffers do, gives that. ConversionError for anything else.
    """
    match value:
        case Expr():
            return value
        case bool():
            return IntImm("bool", value)
        case int():
            return IntImm(_integer_type(value), value)
        case float():
            return FloatImm("float32", value)
        case str():
            return StringImm(value)
    data = getattr(value, "data", None)
    if isinstance(data, Expr):
        return data
    msg = f"a {type(value).__name__} is no expression and cannot become one"
    raise ConversionError(msg, fix="pass an expression, a bool, an int, a float or a str")


def _integer_type(value: int) -> str:
    names = ("int32", "int64", "uint64")
    return next((name for name in names if _fits(value, PrimType(name).dtype)), names[-1])


def _fits(value: int, kind: DType) -> bool:
    low, high = _range(kind)
    return low <= value <= high


def _range(kind: DType) -> tuple[int, int]:
    match kind:
        case DType(code="bool", lanes=1):
            return 0, 1
        case DType(code="uint", lanes=1):
            return 0, 2**kind.bits - 1
        case DType(code="int", lanes=1):
            return -(2 ** (kind.bits - 1)), 2 ** (kind.bits - 1) - 1
    msg = f"{kind} is no integer type of one lane"
    raise ConversionError(msg)
