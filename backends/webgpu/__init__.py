"""WebGPU: devices. Its script namespace belongs to the language."""

from typing import TYPE_CHECKING

from tvm.backend.package import lazy, submodule
from tvm.runtime import register_device_api
from tvm.target import register_device_target_detector

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["register_backend"]

_THERE = frozenset({"device"})


def register_backend() -> None:
    """Register all that the backend has."""
    register_device_api("webgpu", load=lazy(f"{__name__}.device", "API"))
    register_device_target_detector("webgpu", load=lazy(f"{__name__}.device", "detect"))


def __getattr__(name: str) -> "ModuleType":
    """Import a submodule at its first use."""
    return submodule(__name__, name, there=_THERE)
