"""Tx.ptx_legacy and Tx.s_tir: members that take a data type first or not at all, by the number of their arguments."""

import re
from typing import cast

from tvm.error import ArgumentTypeError
from tvm.ir import Expr, StringImm
from tvm.script.builder import make
from tvm.script.member import Arguments, Member

PTX = "PTX ISA"
# With a data type first: the shape to saturate, and the operator.
_MMA_COUNTS = (14, 15)
_SHAPE = re.compile(r"m\d+n\d+k\d+")
# The layouts, types and operators of mma.sync; which of them go together depends on the shape and shows in the code generator.
_LAYOUT = "one('row', 'col')"

_LDMATRIX = make(
    "ptx_legacy",
    Member(
        "ldmatrix(dtype: result_type(), trans: flag(), num: one(1, 2, 4), type: one('.b16'), local_ptr: pointer(), local_off, "
        "smem_ptr: pointer(), smem_off) -> type[dtype]",
        "",
        calls="ptx_legacy.ldmatrix(trans, num, type, local_ptr, local_off, smem_ptr, smem_off)",
    ),
    {},
)
_MMA = make(
    "ptx_legacy",
    Member(
        f"mma(dtype: result_type(), shape: text(), a_layout: {_LAYOUT}, b_layout: {_LAYOUT}, a_type: text(), b_type: text(), "
        "c_type: text(), a_ptr: pointer(), a_off, b_ptr: pointer(), b_off, acc_ptr: pointer(), acc_off, saturate: flag(), "
        "operator: one('xor', 'and') = None) -> type[dtype]",
        "",
        calls="ptx_legacy.mma(shape, a_layout, b_layout, a_type, b_type, c_type, a_ptr, a_off, b_ptr, b_off, acc_ptr, acc_off, saturate, "
        "operator)",
    ),
    {},
)
_CP_ASYNC = make(
    "s_tir",
    Member(
        "cp_async_raw(elem_dtype: dtype(), dst: pointer(), dst_off, src: pointer(), src_off, cp_size: one(4, 8, 16)) -> type[elem_dtype]",
        "",
        calls="s_tir.cp_async_raw(dst, dst_off, src, src_off, cp_size)",
    ),
    {},
)


def ldmatrix(_op: str, arguments: Arguments) -> Expr:
    """Build (trans, num, type, local_ptr, local_off, smem_ptr, smem_off) of 7 arguments, or 8 with the data type first."""
    match _given(arguments):
        case (_, _, _, _, _, _, _, _) as typed:
            return _LDMATRIX(*typed)
        case (_, _, _, _, _, _, _) as untyped:
            return _LDMATRIX("void", *untyped)
        case given:
            name = "ptx_legacy.ldmatrix"
            raise _count(name, "7 arguments, or 8 with the data type first", given)


def mma(_op: str, arguments: Arguments) -> Expr:
    """Build (shape, layouts, types, pointers with offsets, saturate[, operator]) of 13 to 15 arguments."""
    given = _given(arguments)
    typed = given if given and not _is_shape(given[0]) else ("void", *given)
    if len(typed) not in _MMA_COUNTS:
        name = "ptx_legacy.mma"
        raise _count(name, "13 arguments from the shape on, before them the data type, after them the operator", given)
    operator = arguments["operator"]
    return _MMA(*typed, **({} if operator is None else {"operator": operator}))


def cp_async_raw(_op: str, arguments: Arguments) -> Expr:
    """Build (dst, dst_off, src, src_off, cp_size) of six arguments."""
    match _given(arguments):
        case (str() | StringImm(), _, _, _, _, _) as given:
            return _CP_ASYNC(*given)
        case given:
            fix = "use Tx.ptx.cp for any other form"
            name = "s_tir.cp_async_raw"
            raise _count(name, "six arguments that begin with the data type", given, fix=fix)


def cp_async_legacy(_op: str, arguments: Arguments) -> Expr:
    """Build what `cp_async_raw` does; the data type may be left out and is int8 then, so that offsets count bytes."""
    match _given(arguments):
        case (_, _, _, _, _, _) as typed:
            return _CP_ASYNC(*typed)
        case (_, _, _, _, _) as untyped:
            return _CP_ASYNC("int8", *untyped)
        case given:
            name = "s_tir.cp_async_raw.legacy"
            raise _count(name, "5 arguments, or 6 with the data type first", given)


def _given(arguments: Arguments) -> tuple[object, ...]:
    return cast("tuple[object, ...]", arguments.get("all_args", arguments.get("args", ())))


def _is_shape(given: object) -> bool:
    text = given.value if isinstance(given, StringImm) else given
    return isinstance(text, str) and _SHAPE.fullmatch(text) is not None


def _count(name: str, wanted: str, given: tuple[object, ...], *, fix: str = "") -> ArgumentTypeError:
    return ArgumentTypeError(f"Tx.{name} takes {wanted}, not {len(given)}", fix=fix)


PTX_LEGACY = (
    Member(
        "ldmatrix(*all_args: any_object())",
        "Load `num` 8 x 8 matrices of 16-bit elements from shared memory into the registers of a warp (sm_75). The arguments are "
        "[dtype,] trans, num, type, local_ptr, local_off, smem_ptr, smem_off.",
        source=f"{PTX}, ldmatrix",
        build=ldmatrix,
    ),
    Member(
        "mma(*all_args: any_object(), operator: any_object() = None)",
        "Multiply two matrices of a warp and add to the accumulator. The arguments are [dtype,] shape, a_layout, b_layout, a_type, "
        "b_type, c_type, a_ptr, a_off, b_ptr, b_off, acc_ptr, acc_off, saturate.",
        source=f"{PTX}, mma",
        build=mma,
    ),
)

S_TIR = (
    Member(
        "cp_async_raw(*args: any_object())",
        "Copy `cp_size` bytes, 4, 8 or 16, from global to shared memory without waiting (sm_80). The arguments are elem_dtype, dst, "
        "dst_off, src, src_off, cp_size.",
        source=f"{PTX}, cp.async",
        flat=None,
        build=cp_async_raw,
    ),
    Member(
        "cp_async_raw.legacy(*all_args: any_object())",
        "Copy as `cp_async_raw` does; without a data type the offsets count bytes.",
        source=f"{PTX}, cp.async",
        calls="s_tir.cp_async_raw",
        flat="ptx_cp_async_legacy",
        build=cp_async_legacy,
    ),
    Member(
        "ldg32(reg: element(), guard, addr, local_addr) -> reg.ty",
        "Load 32 bits from global memory where `guard` holds, else 0.",
        source=f"{PTX}, ld.global.nc",
        flat="s_tir.ldg32",
    ),
)
