"""Debian's container registry on a port of this machine, with one image in it."""

import socket
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docker.errors import NotFound

from tests.e2e import debian
from tvm.matrix.engine.client import Client
from tvm.support.utils import which

_PROGRAM = "docker-registry"
# The name that a suite called `elsewhere` has in a registry.
_TAG = "elsewhere-slim"
# Seconds for the package to be installed, and for the registry to listen.
_INSTALL, _START = 300.0, 60.0
_CONFIGURATION = """\
version: 0.1
log: {{level: error}}
storage: {{filesystem: {{rootdirectory: {folder}}}}}
http: {{addr: "127.0.0.1:{port}"}}
"""


@dataclass(frozen=True, kw_only=True)
class Pushed:
    """An image in a registry."""

    repository: str
    digest: str


def install() -> None:
    """Install the registry's package where it is missing."""
    if which(_PROGRAM) is None:
        debian.install(_PROGRAM, limit=_INSTALL)


def free_port() -> int:
    """Return a port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def serve(folder: Path, port: int) -> "subprocess.Popen[bytes]":
    """Start a registry that keeps its images in `folder`, and wait until it listens."""
    configuration = folder / "registry.yml"
    configuration.write_text(_CONFIGURATION.format(folder=folder / "data", port=port), encoding="utf-8")
    with (folder / "registry.log").open("wb") as log:
        started = subprocess.Popen([_PROGRAM, "serve", configuration], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    end = time.monotonic() + _START
    while not _listens(port):
        assert started.poll() is None, (folder / "registry.log").read_text(encoding="utf-8")
        assert time.monotonic() < end, "the registry does not listen"
        time.sleep(0.05)
    return started


def push(client: Client, image: str, port: int) -> Pushed:
    """Push an image and return what it is called there; the engine forgets that name of it."""
    untyped: Any = client
    repository = f"127.0.0.1:{port}/debian"
    untyped.tag(image, repository, _TAG)
    told = list(untyped.push(repository, tag=_TAG, stream=True, decode=True))
    untyped.remove_image(f"{repository}:{_TAG}")
    digests = [line["aux"]["Digest"] for line in told if "aux" in line]
    assert digests, told
    return Pushed(repository=repository, digest=digests[0])


def forget(client: Client, pushed: Pushed) -> None:
    """Remove the name that a pull has left on the engine."""
    untyped: Any = client
    with suppress(NotFound):
        untyped.remove_image(f"{pushed.repository}@{pushed.digest}")


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
