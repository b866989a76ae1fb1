"""Names of devices: "cuda", "cuda:1"."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tvm.error import DeviceError

if TYPE_CHECKING:
    from tvm_ffi import Device


@dataclass(frozen=True, kw_only=True)
class DeviceName:
    """A device by type and number, as a detector gets it."""

    type: str
    index: int = 0

    def __str__(self) -> str:
        return f"{self.type}:{self.index}"


def read(device: "str | Device | DeviceName") -> DeviceName:
    """Return what a text or a Device names. DeviceError for a text that names none."""
    if not isinstance(device, str):
        return DeviceName(type=str(device.type), index=int(device.index))
    kind, colon, index = device.strip().partition(":")
    if not kind or (colon and not (index.isascii() and index.isdigit())):
        msg = f"{device!r} is no device"
        raise DeviceError(msg, fix="write its type, or its type and number: cuda, cuda:1")
    return DeviceName(type=kind, index=int(index or 0))
