from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.registries import undone
from tests.unit.runtime.devices import Listed
from tvm.backend.cuda import device
from tvm.runtime import register_device_api
from tvm.target import Target

if TYPE_CHECKING:
    import ctypes

ATTRIBUTES = {1: 1024, 8: 49152, 10: 32, 12: 65536, 38: 62914560, 75: 9, 76: 0}


class Driver:
    """What libcuda does, as far as it is asked."""

    def __init__(self, *, init: int = 0, attribute: int = 0) -> None:
        self.init = init
        self.attribute = attribute

    def cuInit(self, _flags: int) -> int:
        return self.init

    def cuDeviceGetCount(self, count: Any) -> int:
        count._obj.value = 1
        return 0

    def cuDeviceGet(self, handle: Any, index: int) -> int:
        handle._obj.value = index + 7
        return 0

    def cuDeviceGetName(self, name: "ctypes.Array[ctypes.c_char]", _size: int, _device: int) -> int:
        name.value = b"NVIDIA H200"
        return 0

    def cuDeviceGetAttribute(self, value: Any, what: int, gpu: int) -> int:
        assert gpu == 7
        value._obj.value = ATTRIBUTES[what]
        return self.attribute

    def cuDriverGetVersion(self, value: Any) -> int:
        value._obj.value = 13010
        return 0

    def cuGetErrorString(self, _code: int, text: Any) -> int:
        text._obj.value = b"system not yet initialized"
        return 0


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Driver:
    made = Driver()
    monkeypatch.setattr(device, "open_first", lambda _names: made)
    monkeypatch.setattr(device, "file_of", lambda _library, _symbol: "/lib/libcuda.so.1")
    return made


@pytest.mark.usefixtures("driver")
def test_a_gpu_is_what_the_driver_says() -> None:
    found = device.ask()
    assert (found.asked, found.version) == ("/lib/libcuda.so.1", "13.1")
    with undone():
        register_device_api("cuda", Listed(found.devices), override=True)
        target = Target.from_device("cuda")
    assert target.export() == {
        "arch": "sm_90",
        "keys": ["cuda", "gpu"],
        "kind": "cuda",
        "l2_cache_size_bytes": 62914560,
        "max_num_threads": 1024,
        "max_shared_memory_per_block": 49152,
        "max_threads_per_block": 1024,
        "registers_per_block": 65536,
        "tag": "",
        "thread_warp_size": 32,
    }
    assert found.devices[0]["name"] == "NVIDIA H200"


def test_a_driver_without_a_gpu(driver: Driver) -> None:
    driver.init = 100
    assert device.ask().why == "/lib/libcuda.so.1 shows no GPU"


@pytest.mark.parametrize(("part", "function"), [("init", "cuInit"), ("attribute", "cuDeviceGetAttribute")])
def test_a_driver_that_fails_says_how(part: str, function: str, driver: Driver) -> None:
    setattr(driver, part, 3)
    found = device.ask()
    assert found.devices == ()
    assert found.why == f"/lib/libcuda.so.1: {function} gave the error 3: system not yet initialized"


def test_no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "_LIBRARIES", ("libabsent.so.1",))
    assert device.ask().why == "no NVIDIA driver is installed (libabsent.so.1)"
