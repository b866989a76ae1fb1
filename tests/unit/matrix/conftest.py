"""What tests of the matrix get: a world to run cells in, an engine in memory, a connection to it, and a home of their own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.matrix import fake_engine as fake
from tests.unit.matrix.engine.fake_docker import FakeDocker, serving
from tests.unit.matrix.world import World, make_world
from tvm.matrix.engine.client import Client
from tvm.matrix.engine.discover import Connection, Endpoint, connect


@pytest.fixture(autouse=True)
def _home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep locks, docker's configuration and this machine's certificates out of every test."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "cache"))
    for name in ("XDG_RUNTIME_DIR", "SSL_CERT_FILE", "PIP_CERT", "REQUESTS_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Return a project of two cells, and an engine in memory that runs them."""
    return make_world(tmp_path)


@pytest.fixture
def docker() -> Iterator[FakeDocker]:
    """Return an engine that answers."""
    with serving() as fake:
        yield fake


@pytest.fixture
def connection(docker: FakeDocker) -> Iterator[Connection]:
    """Return a connection to it."""
    found = connect(Endpoint(address=docker.address, origin="test"))
    docker.requests.clear()
    yield found
    found.client.close()


@pytest.fixture
def client(connection: Connection) -> Client:
    """Return the SDK's client of that connection."""
    return connection.client


@pytest.fixture
def no_sockets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no engine of this machine be found."""
    monkeypatch.setattr("tvm.matrix.engine.discover._DEFAULT_SOCKET", tmp_path / "none" / "docker.sock")
    monkeypatch.setattr("tvm.matrix.engine.discover._PODMAN_SOCKET", tmp_path / "none" / "podman.sock")


@pytest.fixture
def local(world: World) -> World:
    """Return a world whose engine is this machine, with an old gcc; the cell has one more check, which needs none."""
    world.engine.name = "local"
    world.engine.programs["gcc --version"] = fake.prints("gcc (Debian 12.2.0-14) 12.2.0\n")
    cells = world.project.matrix.cells
    both = {**cells["first"].checks, **cells["second"].checks}
    cells["first"] = cells["first"].model_copy(update={"checks": both})
    return world
