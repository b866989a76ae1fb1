"""WebGPU adapters of this machine, asked of wgpu-native through the wheel wgpu."""

import importlib
import importlib.util
from collections.abc import Mapping
from typing import Any

from tvm.runtime.device_api import Attribute
from tvm.support.devices import Devices, Found

_WHEEL = "wgpu"


def ask() -> Found:
    """Return every adapter, in wgpu's order."""
    if importlib.util.find_spec(_WHEEL) is None:
        return Found(
            why=f"the wheel {_WHEEL}, which brings wgpu-native, is not installed; a browser's adapters are its own"
        )
    wgpu: Any = importlib.import_module(_WHEEL)
    adapters = wgpu.gpu.enumerate_adapters_sync()
    why = f"{wgpu.__file__} knows no adapter"
    return Found(devices=tuple(map(_device, adapters)), why=why, asked=wgpu.__file__, version=wgpu.__version__)


API = Devices("webgpu", ask)


def _device(adapter: Any) -> Mapping[str, Attribute]:
    return {
        "name": str(adapter.info["device"]),
        "backend": str(adapter.info["backend_type"]),
        "max_num_threads": int(adapter.limits["max-compute-invocations-per-workgroup"]),
        "max_shared_memory_per_block": int(adapter.limits["max-compute-workgroup-storage-size"]),
        "supports_subgroups": "subgroup" in adapter.features,
    }
