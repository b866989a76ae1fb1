"""OpenCL: devices."""

from tvm.backend.package import register_devices, submodules

__all__ = ["register_backend"]

_THERE = frozenset({"device"})

__getattr__ = submodules(__name__, there=_THERE)


def register_backend() -> None:
    """Register all that the backend has."""
    register_devices("opencl", f"{__name__}.device")
