"""Expressions of the kernel language."""

from dataclasses import dataclass

from tvm.ir import ConversionError, Expr, Span, convert


@dataclass(frozen=True, eq=False, init=False)
class BinaryOp(Expr):
    """An operation on two operands of one type."""

    a: Expr
    b: Expr

    def __init__(self, a: object, b: object, span: Span | None = None) -> None:
        """ConversionError for operands of two types."""
        left, right = convert(a), convert(b)
        if left.ty != right.ty:
            msg = f"{type(self).__name__} of two types: {left.ty} and {right.ty}"
            raise ConversionError(msg)
        self._set(a=left, b=right, ty=left.ty, span=span)


@dataclass(frozen=True, eq=False, init=False)
class BitwiseAnd(BinaryOp):
    """The bits that both operands have."""
