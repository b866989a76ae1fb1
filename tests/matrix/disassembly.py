"""What NVIDIA's disassemblers say of a cubin or a fatbin."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tvm.support import process

_LIMIT = 120.0
_USAGE = re.compile(r"Function (\S+):\n\s+REG:(\d+) STACK:(\d+) SHARED:(\d+) LOCAL:(\d+)")
_LISTED = re.compile(r"^(?:ELF|PTX) file +\d+: \S+?\.(sm_\w+)\.(cubin|ptx)$", re.MULTILINE)
# A predicate may stand before the operation: "@!P0 STG.E [R2], R5".
_INSTRUCTION = re.compile(r"^\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+ )?([A-Z][A-Z0-9_.]*)", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Usage:
    """What one function needs: registers; stack, shared and local memory in bytes."""

    registers: int
    stack: int
    shared: int
    local: int


def members(path: Path) -> set[tuple[str, str]]:
    """Return what a fatbin holds: (arch, "cubin" or "ptx") each."""
    listed = (process.run(["cuobjdump", option, path], timeout=_LIMIT).output for option in ("-lelf", "-lptx"))
    return {(found[1], found[2]) for output in listed for found in _LISTED.finditer(output)}


def usage(path: Path) -> Mapping[str, Usage]:
    """Return what each function of a cubin, or of a fatbin's cubin, needs."""
    output = process.run(["cuobjdump", "-res-usage", path], timeout=_LIMIT).output
    rows = ((found[1], map(int, found.groups()[1:])) for found in _USAGE.finditer(output))
    return {
        name: Usage(registers=registers, stack=stack, shared=shared, local=local)
        for name, (registers, stack, shared, local) in rows
    }


def operations(path: Path, kernel: str) -> Counter[str]:
    """Return how often each operation ("STG.E") stands in a kernel's machine code; cuobjdump calls nvdisasm for it."""
    output = process.run(["cuobjdump", "-sass", "-fun", kernel, path], timeout=_LIMIT).output
    found = Counter(_INSTRUCTION.findall(output))
    assert found["EXIT"], output
    return found


def count(operations: Counter[str], name: str) -> int:
    """Return how often an operation stands there, whatever its modifiers: "STL" counts STL.64 as well."""
    return sum(number for operation, number in operations.items() if operation.split(".")[0] == name)
