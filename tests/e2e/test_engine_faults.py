"""An engine that is not there, dies, refuses or has no room: one clear sentence, exit code 4 (or 7), nothing half made."""

import shutil
import socketserver
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.engine import Containers
from tests.e2e.moments import ON_THE_WIRE, SLOW_STEP
from tests.e2e.project import MATRIX, Project, mounted
from tests.e2e.wire import Wire
from tvm.error import ExitCode

# Runs a program where no socket of any engine is to be seen, and where one that is may not be opened.
WITHOUT_SOCKETS = ["unshare", "--mount", "sh", "-ec", 'mount -t tmpfs none /run && exec "$@"', "sh"]
_SIZE = 1 << 20
WITHOUT_PRIVILEGE = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]


@pytest.mark.usefixtures("spared")
def test_an_engine_that_a_variable_names_and_is_not_there(project: Project) -> None:
    done = project.matrix("run", "one", TVM_MATRIX_DOCKER_HOST="unix:///nowhere/docker.sock", HOME="/nowhere")
    assert done.code == ExitCode.ENGINE
    assert (
        "TVM_MATRIX_DOCKER_HOST names an engine at unix:///nowhere/docker.sock, but it does not answer" in done.output
    )
    assert "fix: start that engine, or unset TVM_MATRIX_DOCKER_HOST" in done.output
    assert "Traceback" not in done.output


@pytest.mark.usefixtures("spared")
def test_no_engine_anywhere(project: Project) -> None:
    done = project.run([*WITHOUT_SOCKETS, *MATRIX, "run", "one"], TVM_MATRIX_DOCKER_HOST="", HOME="/nowhere")
    assert done.code == ExitCode.ENGINE
    assert "no container engine answers" in done.output
    assert "/run/tvm-matrix/docker.sock" in done.output
    assert "fix: run `nox -s engine`" in done.output


@pytest.mark.usefixtures("spared")
def test_an_engine_that_may_not_be_asked(project: Project, wire: Wire) -> None:
    # Without its capabilities root is a user like any other.
    shutil.chown(wire.path, "nobody")
    wire.path.chmod(0o600)
    done = project.run([*WITHOUT_PRIVILEGE, *MATRIX, "run", "one"])
    assert done.code == ExitCode.ENGINE
    assert "Permission denied" in done.output
    assert "add this user to the group that owns the socket" in done.output


@pytest.mark.usefixtures("spared")
def test_an_engine_that_refuses(project: Project, refusing: str) -> None:
    done = project.matrix("run", "one", TVM_MATRIX_DOCKER_HOST=refusing)
    assert done.code == ExitCode.ENGINE
    assert "the engine is closed today" in done.output
    assert "Traceback" not in done.output


@pytest.mark.parametrize("moment", ["create", "put", "check", "collect"])
def test_an_engine_that_dies_in_a_run_and_comes_back(
    moment: str, project: Project, wire: Wire, containers: Containers
) -> None:
    """The box cannot be removed while the engine is away: the next run does it."""
    before = project.kept()
    wire.at(ON_THE_WIRE[moment], wire.cut)
    done = project.matrix("run", "one")
    assert done.code == ExitCode.ENGINE
    assert "the engine went away while" in done.output
    assert "fix: run `nox -s engine`" in done.output
    assert "Traceback" not in done.output
    assert project.kept() == before
    assert project.half_made() == []

    left = containers.left()
    wire.mend()
    again = project.matrix("run", "one")
    assert again.code == 0, again.output
    assert all(f"removed {name}, whose runner is gone" in again.output for name in left)
    assert containers.left() == []


def test_an_engine_that_dies_while_an_image_is_built(project: Project, wire: Wire, containers: Containers) -> None:
    before = project.kept()
    project.edit("images/small/Dockerfile", "USER root\n", SLOW_STEP)
    wire.at(ON_THE_WIRE["build"], wire.cut)
    done = project.matrix("run", "one")
    assert done.code == ExitCode.ENGINE
    assert "the engine went away while it was to build image small" in done.output
    assert project.kept() == before
    assert project.half_made() == []
    containers.wait_for_none()


def test_results_on_a_full_disk(project: Project, containers: Containers, full: Path) -> None:
    """The folder of results is a file system of its own, with no room left."""
    before = project.kept()
    done = project.matrix("run", "one")
    assert done.code == ExitCode.STORAGE
    assert "No space left on device" in done.output
    assert f"{full}" in done.output
    assert "fix: free some space there" in done.output
    assert project.kept() == before
    assert project.half_made() == []
    assert containers.left() == []


@pytest.fixture
def full(project: Project) -> Iterator[Path]:
    """Return the folder of results on a file system with no room left."""
    with mounted(project, size=str(_SIZE)) as build:
        with pytest.raises(OSError, match="No space left"):
            (build / "ballast").write_bytes(bytes(_SIZE))
        yield build


@pytest.fixture
def refusing() -> Iterator[str]:
    """Return the address of an engine that answers everything with an error."""
    folder = Path(tempfile.mkdtemp(prefix="tvm-e2e-"))
    with socketserver.ThreadingUnixStreamServer(str(folder / "closed.sock"), _Closed) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield f"unix://{folder}/closed.sock"
        server.shutdown()
        thread.join()
    shutil.rmtree(folder)


class _Closed(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        while self.rfile.readline().strip():
            pass
        body = b'{"message": "the engine is closed today"}'
        head = b"HTTP/1.1 500 Internal Server Error\r\nContent-Type: application/json\r\nConnection: close\r\n"
        self.wfile.write(head + b"Content-Length: %d\r\n\r\n" % len(body) + body)
