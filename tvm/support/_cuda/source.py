"""What a CUDA source needs, read off its text."""

import re

_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b", re.MULTILINE)
_NVSHMEM = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]nvshmemx?\.h[>"]', re.MULTILINE)
_INTEGERS = re.compile(r"\bu?int(?:8|16|32|64)_t\b")
_INFINITY = re.compile(r"\b(?:INFINITY|NAN)\b")
_ASM = re.compile(r"\b(?:__asm__|__volatile__)\b")
_TENSOR_MAP = re.compile(r"\bCUtensorMap\b")
# libcu++'s own cmath and cstdint define these names.
_CMATH = re.compile(r"[<\"/](?:cmath|math\.h)[>\"]")
_CSTDINT = re.compile(r"[<\"/](?:cstdint|stdint\.h)[>\"]")


def has_includes(code: str) -> bool:
    """Tell whether a source includes anything: a plain kernel needs no headers to be searched for."""
    return _found(_INCLUDE, code, "include")


def uses_nvshmem(code: str) -> bool:
    """Tell whether a source includes NVSHMEM, so that the device library must be linked in."""
    return _found(_NVSHMEM, code, "nvshmem")


def needs(code: str) -> tuple[str, ...]:
    """Return the names (in `host_headers.PRELUDES`) of what NVRTC lacks and this source uses without including it."""
    found = (
        ("integers", _found(_INTEGERS, code, "_t") and not _found(_CSTDINT, code, "stdint")),
        ("infinity", _found(_INFINITY, code, "INFINITY", "NAN") and not _found(_CMATH, code, "math")),
        ("asm", _found(_ASM, code, "__asm__", "__volatile__")),
        ("tensor_map", _found(_TENSOR_MAP, code, "CUtensorMap")),
        ("nvshmem", _found(_NVSHMEM, code, "nvshmem")),
    )
    return tuple(name for name, needed in found if needed)


def _found(pattern: re.Pattern[str], code: str, *parts: str) -> bool:
    """Search a pattern, if any of the parts that it needs is there: looking for these takes a hundredth of the time."""
    return any(part in code for part in parts) and pattern.search(code) is not None
