"""Kinds of parameters that only members of Tx.cuda, Tx.nvshmem, Tx.ptx_legacy and Tx.s_tir have."""

import enum
import re

from tvm.ir import Expr, StringImm, convert
from tvm.script import kinds
from tvm.script.kinds import Kind, Kinds

# PTX ISA, Special Registers: %clusterid.x, %lanemask_lt, %envreg3.
_SPECIAL = re.compile(r"[a-z][a-z0-9_]*(\.[xyzw])?")
_EVENTS = 1 << 10
# The types that a tensor core's matrix has, by the names of the language, of PTX and in short.
_MMA_TYPES = frozenset(
    "float16 bfloat16 float32 float64 tf32 int8 uint8 int32 float8_e4m3fn float8_e5m2 float6_e2m3fn float6_e3m2fn float4_e2m1fn "
    "float8_e8m0fnu fp16 bf16 fp32 fp64 e4m3 e5m2 e2m1 e2m3 e3m2 ue8m0 ue4m3".split()
)


def barrier() -> Kind:
    """An mbarrier: a pointer, or its uint32 address in shared memory."""

    def make(given: object, where: str) -> Expr:
        if isinstance(given, Expr) and given.dtype == "uint32":
            return given
        if isinstance(given, (int, float, str)):
            raise kinds.wrong_type(where, "a pointer or a uint32 address in shared memory", given)
        return kinds.as_expression(kinds.pointer().convert(given, where))

    return Kind(convert=make, stub="Pointer")


def special_register() -> Kind:
    """The name of a special register, without its %."""

    def make(given: object, where: str) -> Expr:
        name = kinds.constant_text(given, where, "the name of a special register")
        if not _SPECIAL.fullmatch(name):
            raise kinds.wrong_value(where, "the name of a special register without its %, as clusterid.x", name)
        return StringImm(name)

    return Kind(convert=make, stub="str")


def event() -> Kind:
    """A member of an enumeration of events, or its number; the record has 10 bits for it."""

    def make(given: object, where: str) -> Expr:
        return convert_integer(given.value if isinstance(given, enum.Enum) else given, where)

    convert_integer = kinds.integer(0, _EVENTS - 1).convert
    return Kind(convert=make, stub="int | Enum")
