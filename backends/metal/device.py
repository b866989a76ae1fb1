"""Metal devices of this machine, asked of macOS."""

import json
import platform
from collections.abc import Mapping

from tvm.runtime.device_api import Attribute
from tvm.support import process
from tvm.support.devices import LIMIT, Devices, Found

_TOOL = "/usr/sbin/system_profiler"
# Source: Apple, "Metal Feature Set Tables": threads and memory of a threadgroup, the width of a SIMD group of Apple's GPUs.
_APPLE = {"max_threads_per_block": 1024, "max_shared_memory_per_block": 32768, "thread_warp_size": 32}
_METAL = "spdisplays_mtlgpufamilysupport"
_OLDER_METAL = "spdisplays_metal"


def ask() -> Found:
    """Return every GPU that macOS says supports Metal."""
    if platform.system() != "Darwin":
        return Found(why="Metal is a part of macOS, and this is another system")
    done = process.run([_TOOL, "-json", "SPDisplaysDataType"], check=False, timeout=LIMIT)
    if done.code != 0:
        return Found(why=f"{_TOOL} ended with exit code {done.code}", asked=_TOOL)
    return Found(devices=read(done.output), why=f"{_TOOL} lists no GPU that supports Metal", asked=_TOOL)


API = Devices("metal", ask, isolated=False)


def read(output: str) -> tuple[Mapping[str, Attribute], ...]:
    """Read what the tool prints."""
    rows = json.loads(output).get("SPDisplaysDataType", [])
    return tuple(
        {"name": row.get("sppci_model", "GPU"), **_APPLE} for row in rows if _METAL in row or _OLDER_METAL in row
    )
