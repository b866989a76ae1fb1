"""The engine of Docker and Podman."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tvm.matrix import reaper
from tvm.matrix.engine import Box, BoxOptions, PreparedImage, Progress, box, emulation, images, labels
from tvm.matrix.engine.client import Client, engine_errors, finish, remove_container
from tvm.matrix.engine.discover import Connection
from tvm.matrix.model import Project


class DockerEngine:
    """Docker or Podman behind one connection. See the protocol Engine."""

    def __init__(self, connection: Connection) -> None:
        """Speak over a `connection` that answered."""
        self.name = connection.name
        self._connection = connection

    @property
    def client(self) -> Client:
        """The SDK's client, for prune and doctor."""
        return self._connection.client

    def describe(self) -> str:
        """Return one line: kind, version, address, storage driver."""
        return describe(self._connection)

    def prepare(self, project: Project, image: str, progress: Progress) -> PreparedImage:
        """Build an image, or find the one that its recipe made before."""
        prepared = images.prepare(self.client, project, image, progress)
        if why := emulation.why(self.client, prepared):
            progress(f"warning: {why}")
        return replace(prepared, emulation=why)

    def rebuild(self, project: Project, image: str, progress: Progress) -> Mapping[str, Any]:
        """Build an image that is there once more, every step anew, and return its inventory."""
        return images.rebuild(self.client, project, image, progress)

    def open(self, image: PreparedImage, options: BoxOptions) -> Box:
        """Start a box. If that is cut off, the box is gone. A GPU is passed where the engine knows of one."""
        if options.gpu and not has_gpu(self.client):
            options = replace(options, gpu=False)
        name = labels.box_name(options.cell, options.run_id)
        try:
            with engine_errors(f"open a box of image {image.name}"):
                finish(lambda: box.start(self.client, name, image, options, podman=self.name == "podman"))
        except BaseException:
            remove_container(self.client, name)
            raise
        return box.DockerBox(self.client, name, options)

    def reap(self) -> list[str]:
        """Remove boxes whose runner is gone."""
        return reaper.reap(self.client)

    def sweep(self, run_id: str) -> list[str]:
        """Remove every box of one run."""
        return reaper.sweep(self.client, run_id)


def describe(connection: Connection) -> str:
    """Return one line: kind, version, address, storage driver."""
    return (
        f"{connection.name} {connection.version} at {connection.endpoint}, storage driver {driver(connection.client)}"
    )


def has_gpu(client: Client) -> bool:
    """Tell whether the engine can pass a GPU: it has NVIDIA's runtime, or lists a device of NVIDIA's by CDI."""
    with engine_errors("describe itself"):
        told: dict[str, Any] = client.info()
    devices = (str(device.get("ID", "")) for device in told.get("DiscoveredDevices") or ())
    return "nvidia" in (told.get("Runtimes") or {}) or any(device.startswith("nvidia.com/gpu") for device in devices)


def driver(client: Client) -> str:
    """Return the storage driver's name."""
    with engine_errors("describe itself"):
        told: dict[str, Any] = client.info()
    return str(told.get("Driver", "unknown"))
