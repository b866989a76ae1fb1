import ctypes
from typing import Any

import pytest

from tests.unit.registries import undone
from tests.unit.runtime.devices import Listed
from tvm.backend.vulkan import device
from tvm.runtime import register_device_api
from tvm.target import Target


class Loader:
    """What the Vulkan loader does, as far as it is asked."""

    create = enumerate = 0

    def vkCreateInstance(self, information: Any, _allocator: None, instance: Any) -> int:
        application = information._obj.application.contents
        assert (information._obj.kind, application.kind, application.api_version) == (1, 0, (1 << 22) | (3 << 12))
        instance._obj.value = 99
        return self.create

    def vkEnumeratePhysicalDevices(self, _instance: Any, count: Any, found: Any) -> int:
        count._obj.value = 1
        if found is not None:
            found[0] = 1234
        return self.enumerate

    def vkGetPhysicalDeviceProperties2(self, _device: Any, properties: Any) -> None:
        base = properties._obj
        base.api_version, base.driver_version, base.device_type = (1 << 22) | (4 << 12), 1, 4
        base.device_name = b"llvmpipe"
        base.max_shared_memory_per_block, base.max_threads_per_block = 32768, 1024
        base.group_sizes[:] = [1024, 512, 64]
        eleven = device._Properties11.from_address(base.next)
        eleven.subgroup_size = 8
        twelve = device._Properties12.from_address(eleven.next)
        assert [base.kind, eleven.kind, twelve.kind] == [1000059001, 50, 52]
        twelve.driver_name = b"llvmpipe driver"

    def vkGetPhysicalDeviceFeatures2(self, _device: Any, features: Any) -> None:
        part, kinds = features._obj, []
        while part is not None:
            kinds.append(part.kind)
            part.flags[{1000059000: 40, 49: 0, 51: 7, 53: 13}[part.kind]] = 1
            part = device._Features.from_address(part.next) if part.next else None
        assert kinds == [1000059000, 49, 51, 53]


@pytest.fixture
def loader(monkeypatch: pytest.MonkeyPatch) -> Loader:
    made = Loader()
    monkeypatch.setattr(device, "open_first", lambda _names: made)
    monkeypatch.setattr(device, "file_of", lambda _library, _symbol: "/lib/libvulkan.so.1")
    return made


@pytest.mark.usefixtures("loader")
def test_a_device_is_what_the_loader_says() -> None:
    with undone():
        register_device_api("vulkan", Listed(device.ask().devices), override=True)
        target = Target.from_device("vulkan")
    assert (target.device_name, target.device_type, target.driver_name) == ("llvmpipe", "cpu", "llvmpipe driver")
    assert (target.max_threads_per_block, target.max_shared_memory_per_block, target.thread_warp_size) == (
        1024,
        32768,
        8,
    )
    assert (target.max_block_size_x, target.max_block_size_y, target.max_block_size_z) == (1024, 512, 64)
    supported = {name for name, value in target.attrs.items() if name.startswith("supports_") and value}
    assert supported == {
        "supports_16bit_buffer",
        "supports_float16",
        "supports_float32",
        "supports_int32",
        "supports_int64",
        "supports_integer_dot_product",
        "supports_storage_buffer_storage_class",
    }
    assert target.max_spirv_version == 0x10600


def test_limits_lie_where_the_specification_puts_them() -> None:
    """In VkPhysicalDeviceProperties2 the properties begin at 16, in them the limits at 296."""
    offsets = {
        name: getattr(device._Properties, name).offset - 16 - 296 for name in ("images", "max_bound_descriptor_sets")
    }
    assert offsets == {"images": 0, "max_bound_descriptor_sets": 64}
    assert ctypes.sizeof(device._Properties) > 16 + 824


def test_no_driver_is_no_device(loader: Loader) -> None:
    loader.create = -9
    found = device.ask()
    assert (found.devices, found.why) == ((), "/lib/libvulkan.so.1 knows no Vulkan device")


@pytest.mark.parametrize(
    ("part", "function"), [("create", "vkCreateInstance"), ("enumerate", "vkEnumeratePhysicalDevices")]
)
def test_an_error_is_why(part: str, function: str, loader: Loader) -> None:
    setattr(loader, part, -3)
    assert device.ask().why == f"/lib/libvulkan.so.1: {function} gave the error -3"


def test_no_loader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "_LIBRARIES", ("libabsent.so.1",))
    assert device.ask().why == "no Vulkan loader is installed (libabsent.so.1)"
