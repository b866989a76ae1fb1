"""An engine that is restarted while a cell runs: by an upgrade of its package, say."""

from collections.abc import Iterator

import pytest

from tests.e2e import private_engine
from tests.e2e.moments import ON_THE_WIRE
from tests.e2e.private_engine import PrivateEngine
from tests.e2e.project import Project, whole
from tests.e2e.wire import Wire
from tvm.error import ExitCode
from tvm.matrix.engine import discover


@pytest.fixture
def private(project: Project, engine: discover.Connection) -> Iterator[PrivateEngine]:
    """Return an engine of the test's own that has the project's images."""
    with private_engine.started() as running:
        running.take_images(engine.client, project.root)
        yield running


@pytest.fixture
def own_wire(private: PrivateEngine) -> Iterator[Wire]:
    """Return a wire in front of it."""
    wire = Wire(private.layout.socket)
    yield wire
    wire.close()


def test_an_engine_that_is_restarted_while_a_cell_runs(
    project: Project, private: PrivateEngine, own_wire: Wire
) -> None:
    before = project.kept()
    own_wire.at(ON_THE_WIRE["check"], private.restart)
    done = project.matrix("run", "one", TVM_MATRIX_DOCKER_HOST=own_wire.address)
    assert done.code == ExitCode.ENGINE, done.output
    assert "the engine went away while" in done.output
    assert "fix: run `nox -s engine`" in done.output
    assert "Traceback" not in done.output
    assert project.kept() == before
    assert project.half_made() == []
    assert private.containers() == []

    again = project.matrix("run", "one", TVM_MATRIX_DOCKER_HOST=own_wire.address)
    assert again.code == 0, again.output
    assert "RUN" not in again.output, "the image was there"
    assert whole(project.kept()["one"])
    assert project.half_made() == []
    assert private.containers() == []
