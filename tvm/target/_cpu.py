"""The detector of device type cpu: this machine's processor."""

import os
import platform
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tvm.error import DeviceError
from tvm.target._complete import host_triple
from tvm.target.target import Target

if TYPE_CHECKING:
    from tvm.target.device_name import DeviceName

_CPUINFO = Path("/proc/cpuinfo")

# LLVM's names of x86-64 processors by what they all can, the most able first. Source: the x86-64 psABI, table "Micro-Architecture Levels".
_X86_LEVELS = (
    ("x86-64-v4", {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}),
    ("x86-64-v3", {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe", "xsave"}),
    ("x86-64-v2", {"cx16", "popcnt", "sse4_1", "sse4_2", "ssse3"}),
    ("x86-64", set[str]()),
)
# Arm's part numbers. Source: Arm, MIDR_EL1 in the technical reference manual of each core.
_ARM_PARTS = {
    "0xd03": "cortex-a53",
    "0xd05": "cortex-a55",
    "0xd08": "cortex-a72",
    "0xd0b": "cortex-a76",
    "0xd0c": "neoverse-n1",
    "0xd40": "neoverse-v1",
    "0xd41": "cortex-a78",
    "0xd49": "neoverse-n2",
    "0xd4f": "neoverse-v2",
}


def detect_cpu(device: "DeviceName") -> Target:
    """Return an llvm target with this machine's triple, what its processor can by LLVM's name, and how many cores it has."""
    if device.index:
        msg = f"there is no device {device}: a machine has one device of type 'cpu', cpu:0"
        raise DeviceError(msg)
    cpu = _processor(_facts())
    named = {"mcpu": cpu} if cpu else {}
    return Target({"kind": "llvm", "mtriple": host_triple(), **named, "num-cores": os.cpu_count() or 1})


def _facts() -> dict[str, str]:
    """Return the first processor's lines of /proc/cpuinfo; nothing where there is no such file."""
    with suppress(OSError):
        block = _CPUINFO.read_text(encoding="utf-8", errors="replace").partition("\n\n")[0]
        pairs = (line.partition(":") for line in block.splitlines())
        return {name.strip(): value.strip() for name, _, value in pairs}
    return {}


def _processor(facts: dict[str, str]) -> str:
    """Return LLVM's name of a processor that has no more than this one, "" if nothing is known of it."""
    if platform.machine() in {"x86_64", "AMD64"}:
        flags = set(facts.get("flags", "").split())
        return next((name for name, needed in _levels() if needed <= flags), "x86-64")
    return _ARM_PARTS.get(facts.get("CPU part", ""), "")


def _levels() -> list[tuple[str, set[str]]]:
    """Return the levels with what each needs in all: its own and that of every level below."""
    return [
        (name, set[str]().union(*(own for _, own in _X86_LEVELS[place:])))
        for place, (name, _) in enumerate(_X86_LEVELS)
    ]
