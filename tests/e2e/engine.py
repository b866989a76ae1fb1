"""What is on the engine."""

import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docker.errors import NotFound

from tests.e2e.wire import Wire
from tvm.error import ConfigError
from tvm.matrix import loader, prune
from tvm.matrix.engine import LABEL_IMAGE, labels
from tvm.matrix.engine.client import Client

# Seconds that an engine whose client has gone may take to end a build.
_REMOVAL = 60.0


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

    def wait_for_none(self) -> None:
        """Wait until the engine itself has removed what the runs could not."""
        end = time.monotonic() + _REMOVAL
        while (left := self.left()) and time.monotonic() < end:
            time.sleep(0.1)
        assert left == []


def forget(client: Client, changed: Path, template: Path) -> None:
    """Remove the images that a changed project has and the small project has not."""
    untyped: Any = client
    try:
        names = prune.current(loader.load(changed)) - prune.current(loader.load(template))
    except ConfigError:
        # A matrix that cannot be read has made no image.
        return
    for name in sorted(names):
        with suppress(NotFound):
            untyped.remove_image(name, force=True)


def base_of(client: Client, image: str) -> str:
    """Return the name of images/base that an image stands on."""
    untyped: Any = client
    layers = untyped.inspect_image(image)["RootFS"]["Layers"]
    for found in untyped.images(filters={"label": [f"{LABEL_IMAGE}=base"]}):
        below = untyped.inspect_image(found["Id"])["RootFS"]["Layers"]
        names = [name for name in found["RepoTags"] or () if name.startswith(labels.REPOSITORY)]
        if names and layers[: len(below)] == below:
            return str(names[0])
    msg = f"the image {image} stands on no images/base"
    raise AssertionError(msg)


def hand_over(source: Client, target: Client, image: str) -> None:
    """Copy an image from one engine to another."""
    giver: Any = source
    taker: Any = target
    loaded = list(taker.load_image(giver.get_image(image)) or ())
    assert not any("error" in line for line in loaded), loaded
