"""Devices made for one test."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tvm.runtime.device_api import Attribute


@dataclass(frozen=True)
class Listed:
    """A device API that knows these devices, or why there is none."""

    devices: Sequence[Mapping[str, Attribute]]
    why: str = "the test has none"

    def count(self) -> int:
        """Return how many there are."""
        return len(self.devices)

    def why_none(self) -> str:
        """Return why there is none."""
        return "" if self.devices else self.why

    def attributes(self, index: int) -> Mapping[str, Attribute]:
        """Return what is known of one."""
        return self.devices[index]
