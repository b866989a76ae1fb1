"""An engine, and the small project of which every test gets a copy that has run once."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.engine import Containers, forget
from tests.e2e.project import Project, lay, lay_real
from tests.e2e.wire import Wire
from tvm.matrix.engine import discover


@pytest.fixture(scope="session")
def engine() -> discover.Connection:
    """Return the engine that answers here. Without one every test fails with the sentence that says what to do."""
    return discover.find()


@pytest.fixture(scope="session")
def engine_socket(engine: discover.Connection) -> Path:
    """Return the engine's socket: the tests stand a wire in front of it."""
    address = engine.endpoint.address
    assert address.startswith("unix://"), f"these tests need an engine on a socket of this machine, not {address}"
    return Path(address.removeprefix("unix://"))


@pytest.fixture
def wire(engine_socket: Path) -> Iterator[Wire]:
    wire = Wire(engine_socket)
    yield wire
    wire.close()


@pytest.fixture
def containers(engine: discover.Connection, wire: Wire) -> Containers:
    """Return what tells which containers of the test's runs are still on the engine."""
    return Containers(client=engine.client, wire=wire)


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory, engine_socket: Path) -> Path:
    """Return a project whose three cells have passed."""
    root = tmp_path_factory.mktemp("e2e") / "template"
    lay(root)
    done = Project(root=root, environment={"DOCKER_HOST": f"unix://{engine_socket}"}).nox("-s", "one", "two", "three")
    assert done.code == 0, done.output
    return root


@pytest.fixture
def project(template: Path, tmp_path: Path, wire: Wire, engine: discover.Connection) -> Iterator[Project]:
    """Return a copy of the small project with its results; its runs speak to the engine over the wire."""
    root = tmp_path / "project"
    shutil.copytree(template, root, symlinks=True)
    yield Project(root=root, environment={"TVM_MATRIX_DOCKER_HOST": wire.address})
    forget(engine.client, root, template)


@pytest.fixture
def spared(project: Project, containers: Containers) -> Iterator[None]:
    """See to it that the test leaves results as they were, nothing half made, and no container."""
    before = project.kept()
    yield
    assert project.kept() == before
    assert project.half_made() == []
    assert containers.left() == []


@pytest.fixture(scope="session")
def real_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project with the real matrix."""
    root = tmp_path_factory.mktemp("e2e") / "real"
    lay_real(root)
    return root


@pytest.fixture
def real(real_template: Path, tmp_path: Path, wire: Wire) -> Project:
    """Return a copy of the project with the real matrix."""
    root = tmp_path / "real"
    shutil.copytree(real_template, root, symlinks=True)
    return Project(root=root, environment={"TVM_MATRIX_DOCKER_HOST": wire.address})


@pytest.fixture(autouse=True)
def _needs_root() -> None:
    assert os.geteuid() == 0, "these tests mount file systems and start a registry: run them as root"
