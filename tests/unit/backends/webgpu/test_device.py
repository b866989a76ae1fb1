import importlib.util
import sys
from types import SimpleNamespace

import pytest

from tvm.backend.webgpu import device

ADAPTER = SimpleNamespace(
    info={"device": "llvmpipe", "backend_type": "Vulkan"},
    limits={"max-compute-invocations-per-workgroup": 1024, "max-compute-workgroup-storage-size": 32768},
    features={"subgroup"},
)


def test_an_adapter_is_what_wgpu_says(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = SimpleNamespace(enumerate_adapters_sync=lambda: [ADAPTER])
    wheel = SimpleNamespace(gpu=gpu, __file__="/venv/wgpu/__init__.py", __version__="0.32.0", __spec__="here")
    monkeypatch.setitem(sys.modules, "wgpu", wheel)
    found = device.ask()
    assert found.devices == (
        {
            "name": "llvmpipe",
            "backend": "Vulkan",
            "max_num_threads": 1024,
            "max_shared_memory_per_block": 32768,
            "supports_subgroups": True,
        },
    )
    assert (found.asked, found.version) == ("/venv/wgpu/__init__.py", "0.32.0")


def test_without_the_wheel_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    assert "the wheel wgpu, which brings wgpu-native, is not installed" in device.ask().why
