"""AMD GPUs of this machine, asked of rocminfo."""

import re
from collections.abc import Mapping

from tvm.runtime.device_api import Attribute
from tvm.support import process
from tvm.support._rocm_arch import find_rocminfo
from tvm.support.devices import LIMIT, Devices, Found

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_AGENT = re.compile(r"^\*+\s*\nAgent \d+\s*\n\*+\s*\n", re.MULTILINE)
# The whole line: an instruction set below has a line "Name:" too, with a longer name.
_NAME = re.compile(r"^  Name:\s+(gfx[0-9a-f]+)\s*$", re.MULTILINE)
_PRODUCT = re.compile(r"^  Marketing Name:[ \t]*(.*?)[ \t]*$", re.MULTILINE)
_WAVE = re.compile(r"^  Wavefront Size:\s+(\d+)", re.MULTILINE)
_GROUP = re.compile(r"^  Workgroup Max Size:\s+(\d+)", re.MULTILINE)
_SHARED = re.compile(r"^\s+Segment:\s+GROUP\s*\n\s+Size:\s+(\d+)\(0x[0-9a-f]+\) KB", re.MULTILINE)
_KB = 1024


def ask() -> Found:
    """Return every GPU among the agents, in rocminfo's order."""
    program = find_rocminfo()
    done = process.run([program], check=False, timeout=LIMIT)
    output = _COLOUR.sub("", done.output)
    devices = tuple(device for text in _AGENT.split(output)[1:] if (device := _device(text)))
    said = output.strip().partition("\n")[0] or "nothing"
    return Found(devices=devices, why=f"{program} (exit code {done.code}) says: {said}", asked=str(program))


API = Devices("rocm", ask, isolated=False)


def _device(text: str) -> Mapping[str, Attribute]:
    """Read one agent; nothing for a processor."""
    name = _NAME.search(text)
    if name is None:
        return {}
    threads = _number(_GROUP, text, 1024)
    product = _PRODUCT.search(text)
    return {
        "name": product[1] if product else name[1],
        "mcpu": name[1],
        "thread_warp_size": _number(_WAVE, text, 64),
        "max_threads_per_block": threads,
        "max_num_threads": threads,
        "max_shared_memory_per_block": _number(_SHARED, text, 64) * _KB,
    }


def _number(pattern: re.Pattern[str], text: str, otherwise: int) -> int:
    found = pattern.search(text)
    return int(found[1]) if found else otherwise
