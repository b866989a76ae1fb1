"""What a backend knows of the devices of this machine: one DeviceAPI per device type."""

from collections.abc import Callable, Mapping
from typing import Protocol

from tvm._registry import Registry

Attribute = int | str | bool


class DeviceAPI(Protocol):
    """Devices of one type. An implementation asks the vendor's library or tool when it is called, not before."""

    def count(self) -> int:
        """Return how many devices there are; 0 when there is no library, no driver or no device."""
        ...

    def why_none(self) -> str:
        """Return why there is no device, for an error: the library that is absent, or what it answered; "" if there is one."""
        ...

    def attributes(self, index: int) -> Mapping[str, Attribute]:
        """Return what is known of a device, by the names of the options of its target kind, and "name". DeviceError if there is none."""
        ...


_REGISTRY: Registry[str, DeviceAPI] = Registry("a device type with a device API")


def register_device_api(
    device_type: str,
    api: DeviceAPI | None = None,
    *,
    load: Callable[[], DeviceAPI] | None = None,
    override: bool = False,
) -> None:
    """Register the API of a device type ("cuda"), or what returns it at its first use."""
    _REGISTRY.register_given(device_type, api, load, override=override)


def unregister_device_api(device_type: str) -> None:
    """Remove the API of a device type."""
    _REGISTRY.unregister(device_type)


def get_device_api(device_type: str) -> DeviceAPI | None:
    """Return the API of a device type, or None: then this process knows no device of that type."""
    return _REGISTRY.get(device_type)


def why_no_device(device_type: str) -> str:
    """Return why there is no device of this type; "" if there is one."""
    api = get_device_api(device_type)
    return f"no backend that knows {device_type} devices is loaded" if api is None else api.why_none()


def list_device_apis() -> list[str]:
    """Return the device types that have an API."""
    return _REGISTRY.names()
