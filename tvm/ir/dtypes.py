"""Names of element types: "int32", "float16", "float8_e4m3fn", "uint8x4", "bool", "handle", "void"."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from tvm._registry import suggestion
from tvm.error import TVMError

# Floating-point formats that are no IEEE one: bits by name. Source: OCP "Microscaling Formats" and the formats of ml_dtypes.
SPECIAL_FLOATS: Final = {
    "bfloat16": 16,
    "float8_e3m4": 8,
    "float8_e4m3": 8,
    "float8_e4m3b11fnuz": 8,
    "float8_e4m3fn": 8,
    "float8_e4m3fnuz": 8,
    "float8_e5m2": 8,
    "float8_e5m2fnuz": 8,
    "float8_e8m0fnu": 8,
    "float6_e2m3fn": 6,
    "float6_e3m2fn": 6,
    "float4_e2m1fn": 4,
}
_POINTER_BITS = 64
_PATTERN = re.compile(r"(?P<code>u?int|float)(?P<bits>[1-9]\d{0,2})")
_LANES = re.compile(r"(?P<scalar>.+?)x(?P<lanes>[1-9]\d{0,4})")


class DTypeError(TVMError, ValueError):
    """A text is no name of an element type."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DType:
    """An element type. `code` is "int", "uint", "float", "bool", "handle", "void", or the whole name of a special float."""

    code: str
    bits: int
    lanes: int = 1

    def __str__(self) -> str:
        named = self.code in _NAMED or self.code in SPECIAL_FLOATS
        scalar = self.code if named else f"{self.code}{self.bits}"
        return scalar if self.lanes == 1 else f"{scalar}x{self.lanes}"

    @property
    def is_integer(self) -> bool:
        """Signed or unsigned; not bool."""
        return self.code in {"int", "uint"}

    @property
    def is_float(self) -> bool:
        """Any floating-point format."""
        return self.code == "float" or self.code in SPECIAL_FLOATS

    def scalar(self) -> "DType":
        """Return the type of one lane."""
        return DType(code=self.code, bits=self.bits)

    def with_lanes(self, lanes: int) -> "DType":
        """Return the vector type of this element."""
        return DType(code=self.code, bits=self.bits, lanes=lanes)


_NAMED: Final = {"bool": 8, "handle": _POINTER_BITS, "void": 0}


@lru_cache(maxsize=512)
def dtype(name: str) -> DType:
    """Read a name. DTypeError for a text that is none."""
    scalar = _scalar(name)
    if scalar is not None:
        return scalar
    vector = _LANES.fullmatch(name)
    element = _scalar(vector["scalar"]) if vector else None
    if vector is None or element is None or element.code in {"handle", "void"}:
        msg = f"{name!r} is no name of an element type"
        known = [*_NAMED, *SPECIAL_FLOATS, "int32", "int64", "uint32", "float16", "float32", "float64"]
        raise DTypeError(msg, fix=suggestion(name, known))
    return element.with_lanes(int(vector["lanes"]))


def _scalar(name: str) -> DType | None:
    if name in SPECIAL_FLOATS:
        return DType(code=name, bits=SPECIAL_FLOATS[name])
    if name in _NAMED:
        return DType(code=name, bits=_NAMED[name])
    if found := _PATTERN.fullmatch(name):
        return DType(code=found["code"], bits=int(found["bits"]))
    return None
