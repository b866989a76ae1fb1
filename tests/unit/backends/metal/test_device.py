import json
import platform

import pytest

from tests.unit.stand_in import MakeStandIn
from tvm.backend.metal import device

GPU = {"sppci_model": "Apple M2", "spdisplays_mtlgpufamilysupport": "spdisplays_metal3"}


def test_a_gpu_is_what_macos_says(stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    tool = stand_in("system_profiler", output=json.dumps({"SPDisplaysDataType": [GPU, {"sppci_model": "Old"}]}))
    monkeypatch.setattr(device, "_TOOL", str(tool.path))
    (found,) = device.ask().devices
    assert found == {
        "name": "Apple M2",
        "max_threads_per_block": 1024,
        "max_shared_memory_per_block": 32768,
        "thread_warp_size": 32,
    }


def test_a_tool_that_fails_is_why(stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    monkeypatch.setattr(device, "_TOOL", str(stand_in("system_profiler", code=4).path))
    assert device.ask().why.endswith("ended with exit code 4")


def test_another_system_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    assert device.ask().why == "Metal is a part of macOS, and this is another system"
