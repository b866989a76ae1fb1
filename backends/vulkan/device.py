"""Vulkan devices of this machine, asked of the loader.

Numbers and layouts are those of the Khronos Vulkan registry, vulkan_core.h.
"""

import ctypes
from collections.abc import Mapping
from ctypes import c_char, c_int32, c_uint8, c_uint32, c_uint64, c_void_p
from itertools import pairwise

from tvm.runtime.device_api import Attribute
from tvm.support.devices import Devices, Found, file_of, open_first

_LIBRARIES = ("libvulkan.so.1", "vulkan-1.dll", "libvulkan.1.dylib", "libMoltenVK.dylib")
# VK_API_VERSION_1_3: what this program knows. A device of an older version leaves what it does not know at 0.
_API_VERSION = (1 << 22) | (3 << 12)
_INCOMPATIBLE_DRIVER = -9
_APPLICATION_INFO, _INSTANCE_CREATE_INFO = 0, 1
_FEATURES_2, _PROPERTIES_2 = 1000059000, 1000059001
_FEATURES_11, _PROPERTIES_11, _FEATURES_12, _PROPERTIES_12, _FEATURES_13 = 49, 50, 51, 52, 53
# VkPhysicalDeviceType.
_TYPES = ("other", "integrated", "discrete", "virtual", "cpu")
# The newest SPIR-V that each version of Vulkan must take. Source: Vulkan specification, appendix "Vulkan Environment for SPIR-V".
_SPIRV = {0: 0x10000, 1: 0x10300, 2: 0x10500, 3: 0x10600, 4: 0x10600}


class _ApplicationInfo(ctypes.Structure):
    _fields_ = (
        ("kind", c_int32),
        ("next", c_void_p),
        ("name", ctypes.c_char_p),
        ("version", c_uint32),
        ("engine", ctypes.c_char_p),
        ("engine_version", c_uint32),
        ("api_version", c_uint32),
    )


class _InstanceCreateInfo(ctypes.Structure):
    _fields_ = (
        ("kind", c_int32),
        ("next", c_void_p),
        ("flags", c_uint32),
        ("application", ctypes.POINTER(_ApplicationInfo)),
        ("layer_count", c_uint32),
        ("layers", c_void_p),
        ("extension_count", c_uint32),
        ("extensions", c_void_p),
    )


class _Properties(ctypes.Structure):
    """VkPhysicalDeviceProperties2, with the limits up to those of compute shaders by name."""

    _fields_ = (
        ("kind", c_int32),
        ("next", c_void_p),
        ("api_version", c_uint32),
        ("driver_version", c_uint32),
        ("vendor", c_uint32),
        ("device", c_uint32),
        ("device_type", c_int32),
        ("device_name", c_char * 256),
        ("cache", c_uint8 * 16),
        # VkPhysicalDeviceLimits, a structure of its own with 64-bit members.
        ("alignment", c_uint32),
        ("images", c_uint32 * 6),
        ("max_uniform_buffer_range", c_uint32),
        ("max_storage_buffer_range", c_uint32),
        ("max_push_constants_size", c_uint32),
        ("allocations", c_uint32 * 2),
        ("granularity", c_uint64 * 2),
        ("max_bound_descriptor_sets", c_uint32),
        ("samplers_and_uniforms", c_uint32 * 2),
        ("max_per_stage_descriptor_storage_buffer", c_uint32),
        ("descriptors", c_uint32 * 12),
        ("vertex_tessellation_geometry", c_uint32 * 18),
        ("fragment", c_uint32 * 4),
        ("max_shared_memory_per_block", c_uint32),
        ("group_counts", c_uint32 * 3),
        ("max_threads_per_block", c_uint32),
        ("group_sizes", c_uint32 * 3),
        ("rest", c_uint8 * 1024),
    )


class _Properties11(ctypes.Structure):
    _fields_ = (
        ("kind", c_int32),
        ("next", c_void_p),
        ("identifiers", c_uint8 * 40),
        ("node", c_uint32 * 2),
        ("subgroup_size", c_uint32),
        ("subgroup_stages", c_uint32),
        ("subgroup_operations", c_uint32),
        ("rest", c_uint8 * 256),
    )


class _Properties12(ctypes.Structure):
    _fields_ = (
        ("kind", c_int32),
        ("next", c_void_p),
        ("driver", c_int32),
        ("driver_name", c_char * 256),
        ("driver_info", c_char * 256),
        ("rest", c_uint8 * 1024),
    )


class _Features(ctypes.Structure):
    """Any structure of VkBool32s: VkPhysicalDeviceFeatures2, VkPhysicalDeviceVulkan11Features and so on."""

    _fields_ = (("kind", c_int32), ("next", c_void_p), ("flags", c_uint32 * 256))


# Options of the target kind: which structure of features says so, and at which place.
_SUPPORTS = {
    "supports_float64": (_FEATURES_2, 39),
    "supports_int64": (_FEATURES_2, 40),
    "supports_int16": (_FEATURES_2, 41),
    "supports_16bit_buffer": (_FEATURES_11, 0),
    "supports_8bit_buffer": (_FEATURES_12, 2),
    "supports_float16": (_FEATURES_12, 7),
    "supports_int8": (_FEATURES_12, 8),
    "supports_integer_dot_product": (_FEATURES_13, 13),
}
_NUMBERS = (
    "max_uniform_buffer_range",
    "max_storage_buffer_range",
    "max_push_constants_size",
    "max_per_stage_descriptor_storage_buffer",
    "max_shared_memory_per_block",
    "max_threads_per_block",
)


class _Failed(Exception):
    """A call gave an error; the text says which."""


def ask() -> Found:
    """Return every physical device, in the loader's order."""
    library = open_first(_LIBRARIES)
    if library is None:
        return Found(why=f"no Vulkan loader is installed ({', '.join(_LIBRARIES)})")
    path = file_of(library, "vkCreateInstance")
    try:
        devices = tuple(_device(library, device) for device in _devices(library))
    except _Failed as error:
        return Found(why=f"{path}: {error}", asked=path)
    return Found(devices=devices, why=f"{path} knows no Vulkan device", asked=path)


API = Devices("vulkan", ask)


def _devices(library: ctypes.CDLL) -> list[int]:
    application = _ApplicationInfo(kind=_APPLICATION_INFO, name=b"tvm-matrix", api_version=_API_VERSION)
    create = _InstanceCreateInfo(kind=_INSTANCE_CREATE_INFO, application=ctypes.pointer(application))
    instance = c_void_p()
    code = library.vkCreateInstance(ctypes.byref(create), None, ctypes.byref(instance))
    if code == _INCOMPATIBLE_DRIVER:
        return []
    _check("vkCreateInstance", code)
    count = c_uint32()
    _check("vkEnumeratePhysicalDevices", library.vkEnumeratePhysicalDevices(instance, ctypes.byref(count), None))
    found = (c_void_p * count.value)()
    _check("vkEnumeratePhysicalDevices", library.vkEnumeratePhysicalDevices(instance, ctypes.byref(count), found))
    return [device for device in found if device]


def _device(library: ctypes.CDLL, device: int) -> Mapping[str, Attribute]:
    twelve = _Properties12(kind=_PROPERTIES_12)
    eleven = _Properties11(kind=_PROPERTIES_11, next=ctypes.addressof(twelve))
    base = _Properties(kind=_PROPERTIES_2, next=ctypes.addressof(eleven))
    library.vkGetPhysicalDeviceProperties2(c_void_p(device), ctypes.byref(base))
    sizes = dict(zip(("max_block_size_x", "max_block_size_y", "max_block_size_z"), base.group_sizes, strict=True))
    return {
        "name": base.device_name.decode(errors="replace"),
        "device_name": base.device_name.decode(errors="replace"),
        "device_type": _TYPES[base.device_type] if base.device_type in range(len(_TYPES)) else "other",
        "driver_name": twelve.driver_name.decode(errors="replace"),
        "driver_version": base.driver_version,
        "vulkan_api_version": base.api_version,
        "max_spirv_version": _SPIRV.get(base.api_version >> 12 & 0x3FF, max(_SPIRV.values())),
        "thread_warp_size": eleven.subgroup_size or 1,
        "supported_subgroup_operations": eleven.subgroup_operations,
        "max_num_threads": base.max_threads_per_block,
        **{name: getattr(base, name) for name in _NUMBERS},
        **sizes,
        **_supported(library, device),
    }


def _supported(library: ctypes.CDLL, device: int) -> dict[str, bool]:
    kinds = (_FEATURES_2, _FEATURES_11, _FEATURES_12, _FEATURES_13)
    chain = {kind: _Features(kind=kind) for kind in kinds}
    for kind, following in pairwise(kinds):
        chain[kind].next = ctypes.addressof(chain[following])
    library.vkGetPhysicalDeviceFeatures2(c_void_p(device), ctypes.byref(chain[_FEATURES_2]))
    asked = {option: bool(chain[kind].flags[place]) for option, (kind, place) in _SUPPORTS.items()}
    # Every Vulkan device has 32-bit numbers, and since 1.1 storage buffers of their own class.
    return {**asked, "supports_float32": True, "supports_int32": True, "supports_storage_buffer_storage_class": True}


def _check(function: str, code: int) -> None:
    if code < 0:
        msg = f"{function} gave the error {code}"
        raise _Failed(msg)
