"""Builders of the members of Tx.cuda whose call is not their parameters in order."""

from typing import cast

from tvm.error import ArgumentError, ArgumentTypeError
from tvm.ir import Call, Expr, IntImm, PointerType, PrimType, StringImm
from tvm.script import kinds
from tvm.script.member import Arguments
from tvm.tirx.expr import BitwiseAnd

# Bit 24 of a shared address in a cluster is the parity of its CTA.
_LEADER = 0xFEFF_FFFF
_SCALARS = frozenset(
    [
        "int8",
        "uint8",
        "int16",
        "uint16",
        "int32",
        "uint32",
        "int64",
        "uint64",
        "float16",
        "bfloat16",
        "float32",
        "float64",
    ]
)
_VECTORS = frozenset(("int32", "uint32", "float32"))
_LENGTHS = {"v2": 2, "v4": 4}


def leader_address(op: str, arguments: Arguments) -> Expr:
    """Build the address of `ptr` in the leader of a CTA pair."""
    return BitwiseAnd(Call(op, (arguments["ptr"],), ret_ty="uint32"), IntImm("uint32", _LEADER))


def ldg(op: str, arguments: Arguments) -> Expr:
    """Build (addr, dtype), which gives the value, or (addr, dtype, vec, *dst), which gives nothing."""
    addr, dtype, vec = (cast("Expr", arguments[name]) for name in ("addr", "dtype", "vec"))
    name, length = cast("StringImm", dtype).value, _LENGTHS.get(cast("StringImm", vec).value)
    _check_ldg(name, length)
    if length is None:
        if arguments["dst"] is not None:
            msg = "Tx.cuda.ldg: dst is for vectors"
            raise ArgumentError(msg, fix='pass vec="v2" or vec="v4", or leave dst out')
        return Call(op, (addr, dtype), ret_ty=name)
    return Call(op, (addr, dtype, vec, *_targets(arguments["dst"], length)))


def _check_ldg(name: str, length: int | None) -> None:
    known = _SCALARS if length is None else _VECTORS
    if name not in known:
        what = "a value" if length is None else "a vector"
        msg = f"Tx.cuda.ldg: {what} of {name} cannot be loaded"
        raise ArgumentError(msg, fix=f"use one of {', '.join(sorted(known))}")


def _targets(dst: object, length: int) -> list[Expr]:
    if not isinstance(dst, (list, tuple)):
        where = "Tx.cuda.ldg: dst"
        raise kinds.wrong_type(where, f"a list of {length} pointers", dst)
    if len(dst) != length:
        msg = f"Tx.cuda.ldg: dst must be a list of {length} pointers, not of {len(dst)}"
        raise ArgumentError(msg)
    return [kinds.to_pointer(pointer, f"Tx.cuda.ldg: dst[{place}]") for place, pointer in enumerate(dst)]


def func_call(op: str, arguments: Arguments) -> Expr:
    """Build (func_name, *args) with the attributes source_code and lazy_args."""
    args = cast("tuple[Expr, ...]", arguments["args"])
    attrs = {
        "source_code": cast("StringImm", arguments["source_code"]).value,
        "lazy_args": _lazy(arguments["lazy_args"], len(args)),
    }
    result = cast("StringImm", arguments["return_type"]).value
    return Call(op, (arguments["func_name"], *args), attrs=attrs, ret_ty=result)


def _lazy(places: object, count: int) -> tuple[int, ...]:
    where = "Tx.cuda.func_call: lazy_args"
    if not isinstance(places, (list, tuple)):
        raise kinds.wrong_type(where, "a list of places of arguments", places)
    numbers = [kinds.constant_integer(place, where) for place in places]
    for number in numbers:
        if not 0 <= number < count:
            raise kinds.wrong_value(where, f"places of the {count} arguments, counted from 0", number)
    return tuple(sorted(set(numbers)))


def wait_until(op: str, arguments: Arguments) -> Expr:
    """Build (dst, ptr, predicate, scope, space, ptx_type, backoff_ns); without a backoff it is 0."""
    dst, ptr = cast("Expr", arguments["dst"]), cast("Expr", arguments["ptr"])
    word = _word(dst, ptr, cast("StringImm | None", arguments["ptx_type"]))
    predicate = _predicate(arguments["predicate"], dst)
    backoff = arguments["backoff_ns"] or 0
    return Call(op, (dst, ptr, predicate, arguments["scope"], arguments["space"], word, backoff))


def _predicate(given: object, dst: Expr) -> Expr:
    held = given(dst) if callable(given) else given
    if not isinstance(held, Expr) or held.dtype != "bool":
        where = "Tx.cuda.wait_until: predicate"
        raise kinds.wrong_type(where, "a boolean expression of dst, or a callable that gives one", held)
    return held


def _word(dst: Expr, ptr: Expr, given: StringImm | None) -> str:
    pointee = _ptx_type(cast("PointerType", ptr.ty).element_type)
    word = given.value if given else pointee
    if word is None:
        msg = "Tx.cuda.wait_until: the pointer does not say what it points to"
        raise ArgumentTypeError(msg, fix='pass ptx_type, for instance ptx_type="u32"')
    bits = {"dst": _ptx_type(dst.ty), "ptr": pointee, "ptx_type": word}
    if len({text[1:] for text in bits.values() if text}) > 1:
        found = ", ".join(f"{name} has {text[1:]}" for name, text in bits.items() if text)
        msg = f"Tx.cuda.wait_until: the widths differ, in bits: {found}"
        raise ArgumentTypeError(msg)
    return word


def _ptx_type(ty: object) -> str | None:
    if not isinstance(ty, PrimType) or ty.dtype.bits not in {32, 64} or ty.dtype.lanes != 1 or not ty.dtype.is_integer:
        return None
    return f"{'s' if ty.dtype.code == 'int' else 'u'}{ty.dtype.bits}"
