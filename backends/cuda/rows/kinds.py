"""Kinds of parameters that only members of Tx.cuda, Tx.nvshmem, Tx.ptx_legacy and Tx.s_tir have."""

import enum
import re

from tvm.ir import Expr, StringImm
from tvm.script import kinds
from tvm.script.kinds import Kind, Kinds

# PTX ISA, Special Registers: %clusterid.x, %lanemask_lt, %envreg3.
_SPECIAL = re.compile(r"[a-z][a-z0-9_]*(\.[xyzw])?")
_EVENTS = 1 << 10
# The types that a tensor core's matrix has, by the names of the language, of PTX and in short.
_MMA_TYPES = (
    "float16", "bfloat16", "float32", "float64", "tf32", "int8", "uint8", "int32",
    "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn",
    "fp16", "bf16", "fp32", "fp64", "e4m3", "e5m2", "e2m3", "e3m2", "e2m1",
    ".f16", ".bf16", ".f32", ".f64", ".tf32", ".s8", ".u8", ".s32",
    ".e4m3", ".e5m2", ".ue8m0", ".ue4m3", ".e2m3", ".e3m2", ".e2m1",
)  # fmt: skip


def barrier() -> Kind:
    """Take an mbarrier: a pointer, or its uint32 address in shared memory."""

    def make(given: object, where: str) -> Expr:
        if isinstance(given, Expr) and given.dtype == "uint32":
            return given
        return kinds.to_pointer(given, where)

    return Kind(convert=make, stub="Pointer")


def special_register() -> Kind:
    """Take the name of a special register, without its %."""

    def make(given: object, where: str) -> Expr:
        name = kinds.constant_text(given, where, "the name of a special register")
        if not _SPECIAL.fullmatch(name):
            raise kinds.wrong_value(where, "the name of a special register without its %, as clusterid.x", name)
        return StringImm(name)

    return Kind(convert=make, stub="str")


def event() -> Kind:
    """Take a member of an enumeration of events, or its number: the record has 10 bits for it."""
    number = kinds.integer(0, _EVENTS - 1)

    def make(given: object, where: str) -> object:
        return number.convert(given.value if isinstance(given, enum.Enum) else given, where)

    return Kind(convert=make, stub="int | Enum")


def mma_type() -> Kind:
    """Take the type of a tensor core's matrix, by its name in the language, in PTX (with a dot) or in short."""
    return Kind(convert=kinds.one(*_MMA_TYPES).convert, stub="str")


def waited() -> Kind:
    """Take the scalar that a word is loaded into: an integer of 32 or 64 bits."""

    def make(given: object, where: str) -> Expr:
        if not isinstance(given, Expr) or given.dtype not in {"int32", "uint32", "int64", "uint64"}:
            raise kinds.wrong_type(where, "an integer scalar of 32 or 64 bits", given)
        return given

    return Kind(convert=make, stub="Expr")


KINDS: Kinds = {kind.__name__: kind for kind in (barrier, special_register, event, mma_type, waited)}
