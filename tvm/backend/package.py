"""What the package of a backend is written with."""

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tvm._lazy import submodules
from tvm.ir import register_op_table
from tvm.runtime import register_device_api
from tvm.target import register_device_target_detector, target_of_device

__all__ = ["lazy", "register_devices", "register_operations", "submodules"]

if TYPE_CHECKING:
    from tvm.ir import Op
    from tvm.script.table import Tables


def lazy(module: str, name: str) -> Callable[[], Any]:
    """Return a function that imports a module and returns what it calls `name`: the `load` of a registration."""
    return lambda: getattr(import_module(module), name)


def register_devices(device_type: str, module: str) -> None:
    """Register the `API` of a module, and that a target of such a device is what the API says of it."""
    register_device_api(device_type, load=lazy(module, "API"))
    register_device_target_detector(device_type, target_of_device)


def register_operations(module: str, *prefixes: str) -> None:
    """Register the operations of a module's `TABLES`, one table for each prefix of their names."""
    for prefix in prefixes:
        register_op_table(prefix, partial(_operations, module, prefix))


def _operations(module: str, prefix: str) -> "Mapping[str, Op]":
    tables: Tables = import_module(module).TABLES
    return tables.operations(prefix)
