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
    return _INCLUDE.search(code) is not None


def uses_nvshmem(code: str) -> bool:
    """Tell whether a source includes NVSHMEM, so that the device library must be linked in."""
    return _NVSHMEM.search(code) is not None


def needs(code: str) -> tuple[str, ...]:
    """Return the names (in `host_headers.PRELUDES`) of what NVRTC lacks and this source uses without including it."""
    found = (
        ("integers", _INTEGERS.search(code) and not _CSTDINT.search(code)),
        ("infinity", _INFINITY.search(code) and not _CMATH.search(code)),
        ("asm", _ASM.search(code)),
        ("tensor_map", _TENSOR_MAP.search(code)),
        ("nvshmem", _NVSHMEM.search(code)),
    )
    return tuple(name for name, needed in found if needed)
