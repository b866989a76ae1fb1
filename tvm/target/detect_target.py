"""Finds the target of a device of this machine, by one detector per device type."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from tvm._registry import Registry, suggestion
from tvm.error import DeviceError

if TYPE_CHECKING:
    from tvm_ffi import Device

    from tvm.target.device_name import DeviceName
    from tvm.target.target import Target


Detector = Callable[["DeviceName"], "Target"]

_DETECTORS: Registry[str, Detector] = Registry("a device type with a detector")


def register_device_target_detector(
    device_type: str,
    detector: Detector | None = None,
    *,
    load: Callable[[], Detector] | None = None,
    override: bool = False,
) -> None:
    """Register what makes a target of a device of this type, or what returns it at its first use."""
    _DETECTORS.register_given(device_type, detector, load, override=override)


def unregister_device_target_detector(device_type: str) -> None:
    """Remove the detector of a device type."""
    _DETECTORS.unregister(device_type)


def list_device_target_detectors() -> list[str]:
    """Return the device types that have a detector, sorted."""
    return _DETECTORS.names()


def detect_target_from_device(dev: "str | Device | DeviceName") -> "Target":
    """Return the target of a device: "cuda", "cuda:1" or a Device.

    DeviceError, which is a ValueError, for a type without a detector, and when this machine has no such device: it says why.
    """
    from tvm.target.device_name import read  # noqa: PLC0415 - `import tvm` registers detectors and asks none

    name = read(dev)
    detector = _DETECTORS.get(name.type)
    if detector is None:
        known = list_device_target_detectors()
        msg = f"no target can be detected for devices of type {name.type!r}"
        raise DeviceError(msg, fix=suggestion(name.type, known) or "load the backend that knows them", looked=known)
    return detector(name)


def target_of_device(device: "DeviceName") -> "Target":
    """Return a target of the kind that is called as the device type is, with what the device says of itself: most detectors."""
    from tvm.target.target import Target  # noqa: PLC0415 - see _cpu

    return Target({"kind": device.type, "from_device": device.index})


def _cpu() -> Detector:
    from tvm.target._cpu import detect_cpu  # noqa: PLC0415 - `import tvm` registers detectors and makes no target

    return detect_cpu


register_device_target_detector("cpu", load=_cpu)
