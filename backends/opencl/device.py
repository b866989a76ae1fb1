"""OpenCL devices of this machine, asked of the ICD loader.

Numbers are those of the Khronos OpenCL registry, cl.h.
"""

import ctypes
from collections.abc import Mapping

from tvm.runtime.device_api import Attribute
from tvm.support.devices import Devices, Found, file_of, open_first

_LIBRARIES = ("libOpenCL.so.1", "OpenCL.dll", "/System/Library/Frameworks/OpenCL.framework/OpenCL")
_ALL_TYPES = 0xFFFFFFFF
# clGetDeviceIDs and clGetPlatformIDs (of the ICD loader) when there is none.
_DEVICE_NOT_FOUND, _PLATFORM_NOT_FOUND = -1, -1001
_NAME, _DEVICE_VERSION, _DRIVER_VERSION = 0x102B, 0x102F, 0x102D
# Options of the target kind by the device property that they are. Local memory is a 64-bit number, the others are as wide as a pointer.
_SIZES = {
    "max_threads_per_block": 0x1004,
    "max_num_threads": 0x1004,
    "max_shared_memory_per_block": 0x1023,
    "texture_spatial_limit": 0x1011,
    "texture_depth_limit": 0x1015,
}
_IMAGE_SUPPORT = 0x1016
_TEXTURES = ("texture_spatial_limit", "texture_depth_limit")


class _Failed(Exception):
    """A call gave an error; the text says which."""


def ask() -> Found:
    """Return every device of every platform, in the loader's order."""
    library = open_first(_LIBRARIES)
    if library is None:
        return Found(why=f"no OpenCL loader is installed ({', '.join(_LIBRARIES)})")
    path = file_of(library, "clGetPlatformIDs")
    try:
        devices = tuple(
            _device(library, device) for platform in _platforms(library) for device in _ids(library, platform)
        )
    except _Failed as error:
        return Found(why=f"{path}: {error}", asked=path)
    return Found(devices=devices, why=f"{path} knows no OpenCL device", asked=path)


API = Devices("opencl", ask)


def _platforms(library: ctypes.CDLL) -> list[int]:
    count = ctypes.c_uint()
    if _check("clGetPlatformIDs", library.clGetPlatformIDs(0, None, ctypes.byref(count)), _PLATFORM_NOT_FOUND):
        return []
    found = (ctypes.c_void_p * count.value)()
    _check("clGetPlatformIDs", library.clGetPlatformIDs(count, found, None))
    return [handle for handle in found if handle]


def _ids(library: ctypes.CDLL, platform: int) -> list[int]:
    count = ctypes.c_uint()
    function, kinds, handle = library.clGetDeviceIDs, ctypes.c_ulong(_ALL_TYPES), ctypes.c_void_p(platform)
    if _check("clGetDeviceIDs", function(handle, kinds, 0, None, ctypes.byref(count)), _DEVICE_NOT_FOUND):
        return []
    found = (ctypes.c_void_p * count.value)()
    _check("clGetDeviceIDs", function(handle, kinds, count, found, None))
    return [device for device in found if device]


def _device(library: ctypes.CDLL, device: int) -> Mapping[str, Attribute]:
    has_images = int.from_bytes(_info(library, device, _IMAGE_SUPPORT), "little")
    sizes = {option: int.from_bytes(_info(library, device, what), "little") for option, what in _SIZES.items()}
    names = {"name": _NAME, "version": _DEVICE_VERSION, "driver_version": _DRIVER_VERSION}
    texts = {key: _info(library, device, what).rstrip(b"\0").decode(errors="replace") for key, what in names.items()}
    return {**texts, **{option: size for option, size in sizes.items() if has_images or option not in _TEXTURES}}


def _info(library: ctypes.CDLL, device: int, what: int) -> bytes:
    size = ctypes.c_size_t()
    handle = ctypes.c_void_p(device)
    _check("clGetDeviceInfo", library.clGetDeviceInfo(handle, what, 0, None, ctypes.byref(size)))
    buffer = ctypes.create_string_buffer(size.value)
    _check("clGetDeviceInfo", library.clGetDeviceInfo(handle, what, size, buffer, None))
    return buffer.raw


def _check(function: str, code: int, none: int = 0) -> bool:
    """Say whether a call found nothing, which it says by the code `none`."""
    if code not in {0, none}:
        msg = f"{function} gave the error {code}"
        raise _Failed(msg)
    return code != 0
