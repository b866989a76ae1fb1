"""A machine for the tests of the private engine."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.matrix.engine.world import World, make_world
from tests.unit.stand_in import MakeStandIn
from tvm.matrix.engine import daemon, install, subnet


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """Return a folder whose name leaves room for a socket's (107 bytes in all)."""
    folder = Path(tempfile.mkdtemp(prefix="tvm-"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def as_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Be root for whoever asks, see no program of this machine, and no dockerd that runs on it."""
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr(install, "_SYSTEM_FOLDERS", ())
    monkeypatch.setattr(daemon, "running", list)
    monkeypatch.setattr(subnet, "_ROUTES", Path("/nowhere"))


@pytest.fixture
def world(short_folder: Path, stand_in: MakeStandIn, as_root: None, no_sockets: None) -> Iterator[World]:  # noqa: ARG001 - both prepare
    """Return a machine of root's with dockerd and without an engine that answers."""
    made = make_world(short_folder, stand_in)
    yield made
    if state := daemon.read_state(made.layout):
        daemon.end(state)
