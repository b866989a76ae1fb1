import ctypes
from typing import Any

import pytest

from tvm.backend.opencl import device

INFO = {
    0x102B: b"cpu-haswell\0",
    0x102F: b"OpenCL 3.0 PoCL\0",
    0x102D: b"6.0\0",
    0x1004: (4096).to_bytes(8, "little"),
    0x1023: (524288).to_bytes(8, "little"),
    0x1011: (16384).to_bytes(8, "little"),
    0x1015: (2048).to_bytes(8, "little"),
    0x1016: (1).to_bytes(4, "little"),
}


class Loader:
    """What the ICD loader does, as far as it is asked."""

    def __init__(self) -> None:
        self.platforms = self.devices = self.information = 0
        self.info = dict(INFO)

    def clGetPlatformIDs(self, room: Any, found: Any, count: Any) -> int:
        return self.platforms or _list(room, found, count)

    def clGetDeviceIDs(self, _platform: Any, kinds: Any, room: Any, found: Any, count: Any) -> int:
        assert kinds.value == 0xFFFFFFFF
        return self.devices or _list(room, found, count)

    def clGetDeviceInfo(self, _device: Any, what: int, size: Any, buffer: Any, needed: Any) -> int:
        value = self.info[what]
        if buffer is None:
            needed._obj.value = len(value)
        else:
            assert size.value == len(value)
            ctypes.memmove(buffer, value, len(value))
        return self.information


def _list(_room: Any, found: Any, count: Any) -> int:
    if found is None:
        count._obj.value = 1
    else:
        found[0] = 1234
    return 0


@pytest.fixture
def loader(monkeypatch: pytest.MonkeyPatch) -> Loader:
    made = Loader()
    monkeypatch.setattr(device, "open_first", lambda _names: made)
    monkeypatch.setattr(device, "file_of", lambda _library, _symbol: "/lib/libOpenCL.so.1")
    return made


@pytest.mark.usefixtures("loader")
def test_a_device_is_what_the_loader_says() -> None:
    (found,) = device.ask().devices
    assert found == {
        "name": "cpu-haswell",
        "version": "OpenCL 3.0 PoCL",
        "driver_version": "6.0",
        "max_threads_per_block": 4096,
        "max_num_threads": 4096,
        "max_shared_memory_per_block": 524288,
        "texture_spatial_limit": 16384,
        "texture_depth_limit": 2048,
    }


def test_a_device_without_images_has_no_limits_of_images(loader: Loader) -> None:
    loader.info[0x1016] = bytes(4)
    (found,) = device.ask().devices
    assert not {"texture_spatial_limit", "texture_depth_limit"} & set(found)


@pytest.mark.parametrize(("part", "code"), [("platforms", -1001), ("devices", -1)])
def test_none(part: str, code: int, loader: Loader) -> None:
    setattr(loader, part, code)
    found = device.ask()
    assert (found.devices, found.why) == ((), "/lib/libOpenCL.so.1 knows no OpenCL device")


@pytest.mark.parametrize(
    ("part", "function"),
    [("platforms", "clGetPlatformIDs"), ("devices", "clGetDeviceIDs"), ("information", "clGetDeviceInfo")],
)
def test_an_error_is_why(part: str, function: str, loader: Loader) -> None:
    setattr(loader, part, -6)
    assert device.ask().why == f"/lib/libOpenCL.so.1: {function} gave the error -6"


def test_no_loader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "_LIBRARIES", ("libabsent.so.1",))
    assert device.ask().why == "no OpenCL loader is installed (libabsent.so.1)"
