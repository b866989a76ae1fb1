"""An engine, and the small project of which every test gets a copy that has run once."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e import tally
from tests.e2e.engine import Containers, forget
from tests.e2e.project import Project, lay, lay_real
from tests.e2e.tally import Row, Tally
from tests.e2e.wire import Wire
from tvm.matrix.engine import discover

_TALLY = pytest.StashKey[Tally]()


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
def _tallied(request: pytest.FixtureRequest) -> Iterator[None]:
    """Count what a fault has left, after the test has said all it has to say."""
    yield
    kind = tally.KINDS.get(request.node.path.stem)
    used = request.node.funcargs
    if kind and (played := used.get("project") or used.get("real")):
        containers = len(used["containers"].left()) if "containers" in used else 0
        row = Row(kind=kind, containers=containers, half_made=len(played.half_made()))
        request.config.stash[_TALLY].rows.append(row)


def pytest_configure(config: pytest.Config) -> None:
    """Begin the table of faults."""
    config.stash[_TALLY] = Tally()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the table of faults as the last thing of a session."""
    if config.stash[_TALLY].rows:
        terminalreporter.section("faults")
        for line in config.stash[_TALLY].lines():
            terminalreporter.write_line(line)


@pytest.fixture(autouse=True)
def _needs_root() -> None:
    assert os.geteuid() == 0, "these tests mount file systems and start a registry: run them as root"
