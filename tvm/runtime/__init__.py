"""Devices and global functions, thin over apache-tvm-ffi."""

from importlib import import_module
from typing import TYPE_CHECKING

from tvm.runtime.device_api import (
    DeviceAPI,
    get_device_api,
    list_device_apis,
    register_device_api,
    unregister_device_api,
)
from tvm.runtime.functions import register_global_func, remove_global_func

if TYPE_CHECKING:
    from tvm_ffi import Device, device

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


def __getattr__(name: str) -> object:
    """Give tvm_ffi's Device and device(); to import it takes as long as all the rest."""
    if name in {"Device", "device"}:
        return getattr(import_module("tvm_ffi"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
