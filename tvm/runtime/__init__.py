"""Devices and global functions, thin over apache-tvm-ffi."""

from typing import TYPE_CHECKING

from tvm import _lazy

if TYPE_CHECKING:
    from tvm_ffi import Device, device

    from tvm.runtime.device_api import (
        DeviceAPI,
        get_device_api,
        list_device_apis,
        register_device_api,
        unregister_device_api,
    )
    from tvm.runtime.functions import register_global_func, remove_global_func

__all__ = [
    "Device",
    "DeviceAPI",
    "device",
    "get_device_api",
    "list_device_apis",
    "register_device_api",
    "register_global_func",
    "remove_global_func",
    "unregister_device_api",
]

__getattr__ = _lazy.members(
    __name__,
    {
        "tvm.runtime.device_api": (
            "DeviceAPI",
            "get_device_api",
            "list_device_apis",
            "register_device_api",
            "unregister_device_api",
        ),
        "tvm.runtime.functions": (
            "register_global_func",
            "remove_global_func",
        ),
        "tvm_ffi": (
            "Device",
            "device",
        ),
    },
)
