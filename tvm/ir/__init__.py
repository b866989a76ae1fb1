"""Nodes that every dialect shares: types, operations, variables, constants, calls."""

from typing import TYPE_CHECKING

from tvm import _lazy

if TYPE_CHECKING:
    from tvm.ir.dtypes import DType, DTypeError, dtype
    from tvm.ir.expr import Call, ConversionError, Expr, FloatImm, IntImm, StringImm, Var, convert
    from tvm.ir.node import Node, Span
    from tvm.ir.op import CallEffectKind, Op
    from tvm.ir.op_registry import (
        has_op,
        list_ops,
        register_op,
        register_op_table,
        unregister_op,
        unregister_op_table,
    )
    from tvm.ir.structural import structural_equal
    from tvm.ir.type import PointerType, PrimType, StringType, TupleType, Type, as_type

__all__ = [
    "Call",
    "CallEffectKind",
    "ConversionError",
    "DType",
    "DTypeError",
    "Expr",
    "FloatImm",
    "IntImm",
    "Node",
    "Op",
    "PointerType",
    "PrimType",
    "Span",
    "StringImm",
    "StringType",
    "TupleType",
    "Type",
    "Var",
    "as_type",
    "convert",
    "dtype",
    "has_op",
    "list_ops",
    "register_op",
    "register_op_table",
    "structural_equal",
    "unregister_op",
    "unregister_op_table",
]

__getattr__ = _lazy.members(
    __name__,
    {
        "tvm.ir.dtypes": (
            "DType",
            "DTypeError",
            "dtype",
        ),
        "tvm.ir.expr": (
            "Call",
            "ConversionError",
            "Expr",
            "FloatImm",
            "IntImm",
            "StringImm",
            "Var",
            "convert",
        ),
        "tvm.ir.node": (
            "Node",
            "Span",
        ),
        "tvm.ir.op": ("CallEffectKind", "Op"),
        "tvm.ir.op_registry": (
            "has_op",
            "list_ops",
            "register_op",
            "register_op_table",
            "unregister_op",
            "unregister_op_table",
        ),
        "tvm.ir.structural": ("structural_equal",),
        "tvm.ir.type": (
            "PointerType",
            "PrimType",
            "StringType",
            "TupleType",
            "Type",
            "as_type",
        ),
    },
)
