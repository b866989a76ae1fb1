"""What is on the engine."""

from dataclasses import dataclass
from typing import Any

from tests.e2e.wire import Wire
from tvm.matrix.engine.client import Client


@dataclass(frozen=True, kw_only=True)
class Containers:
    """The containers that passed over a wire: boxes and the intermediate ones of builds."""

    client: Client
    wire: Wire

    def left(self) -> list[str]:
        """Return names of those that are still there, running or not."""
        everything: list[dict[str, Any]] = self.client.containers(all=True)
        made = self.wire.containers
        return [one["Names"][0].lstrip("/") for one in everything if {one["Id"], one["Id"][:12]} & made]
