"""An engine of a test's own, beside the shared one: it may be restarted."""

import os
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docker.errors import NotFound

from tests.e2e.engine import hand_over
from tvm.matrix import loader, prune
from tvm.matrix.engine import daemon, discover
from tvm.matrix.engine.client import Client
from tvm.matrix.engine.layout import DEFAULT, Layout


@dataclass(frozen=True, kw_only=True)
class PrivateEngine:
    """A running dockerd with folders, bridge and namespace of its own."""

    layout: Layout

    def connect(self) -> discover.Connection:
        """Return a connection, to be closed."""
        return discover.connect(daemon.endpoint(self.layout))

    def containers(self) -> list[str]:
        """Return names of everything that is on it, running or not."""
        with closing(self.connect()) as connection:
            found: list[dict[str, Any]] = connection.client.containers(all=True)
            return [str(one["Names"][0]).lstrip("/") for one in found]

    def restart(self) -> None:
        """End it, politely, as its package's upgrade does, and start it again."""
        _stop(self.layout)
        daemon.start(self.layout).close()

    def take_images(self, source: Client, root: Path) -> None:
        """Copy from another engine the images that a project's cells stand on."""
        with closing(self.connect()) as connection:
            for name in _made(source, root):
                hand_over(source, connection.client, name)


@contextmanager
def started() -> Iterator[PrivateEngine]:
    """Start an engine, and leave nothing of it."""
    # A namespace of containerd takes no name that ends with a sign, as a random one may.
    name = f"e2e-{os.getpid()}"
    # Beside our private engine's data, which lie on no overlay; its run folder is short, for sockets go below it.
    home = DEFAULT.home / name
    home.mkdir(mode=0o711, parents=True)
    layout = Layout(run=Path("/run") / f"tvm-{name}", home=home, bridge="tvm-e2e0", namespace=f"tvm-{name}")
    try:
        daemon.start(layout).close()
        yield PrivateEngine(layout=layout)
    finally:
        _stop(layout)
        shutil.rmtree(home)


def _stop(layout: Layout) -> None:
    if state := daemon.read_state(layout):
        daemon.end(state)
    daemon.clean(layout)


def _made(client: Client, root: Path) -> list[str]:
    """Return the names of a project's own images, those of its suites and of images/base left out, that are there."""
    untyped: Any = client
    found = []
    for name in sorted(prune.current(loader.load(root))):
        try:
            untyped.inspect_image(name)
        except NotFound:
            continue
        if not name.startswith(("tvm-matrix/debian-", "tvm-matrix/base-")):
            found.append(name)
    return found
