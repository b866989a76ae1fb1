import pytest

from tests.unit.matrix.engine.fake_docker import Answer, FakeDocker, Request, as_json
from tests.unit.matrix.engine.test_box import IMAGE, options
from tvm.error import EngineError
from tvm.matrix.engine import LABEL_RUN
from tvm.matrix.engine.discover import Connection
from tvm.matrix.engine.docker import DockerEngine


@pytest.fixture
def engine(connection: Connection) -> DockerEngine:
    return DockerEngine(connection)


def test_an_engine_describes_itself_in_one_line(docker: FakeDocker, engine: DockerEngine) -> None:
    assert engine.describe() == f"docker 20.10.24 at {docker.address} (test), storage driver overlay2"


def test_open_starts_a_box(docker: FakeDocker, engine: DockerEngine) -> None:
    box = engine.open(IMAGE, options())
    assert list(docker.containers) == [box.name]
    assert docker.asked("POST", "/containers/.*/start")


def test_a_box_that_cannot_be_started_is_removed(docker: FakeDocker, engine: DockerEngine) -> None:
    docker.refuse("POST", "/containers/.*/start", 500, "OCI runtime create failed")
    with pytest.raises(EngineError, match="open a box of image ndk and refused: OCI runtime"):
        engine.open(IMAGE, options())
    assert docker.containers == {}


def test_a_box_whose_start_is_interrupted_is_removed(
    docker: FakeDocker, engine: DockerEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The interrupt comes after the engine made the container and before anybody knows it."""

    def interrupted(_self: object, _timeout: object = None) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("concurrent.futures.Future.result", interrupted)
    with pytest.raises(KeyboardInterrupt):
        engine.open(IMAGE, options())
    assert docker.asked("POST", "/containers/create")
    assert docker.containers == {}


def test_an_image_that_is_gone_is_an_engine_error(docker: FakeDocker, engine: DockerEngine) -> None:
    def no_image(_request: Request, _match: object) -> Answer:
        return as_json({"message": "No such image: sha256:1"}, 404)

    docker.on("POST", "/containers/create", no_image)
    with pytest.raises(EngineError, match="No such image"):
        engine.open(IMAGE, options())


def test_sweep_removes_the_boxes_of_one_run(docker: FakeDocker, engine: DockerEngine) -> None:
    docker.containers = {
        "one": {"Names": ["/one"], "Labels": {LABEL_RUN: "run1"}},
        "two": {"Names": ["/two"], "Labels": {LABEL_RUN: "run2"}},
    }
    assert engine.sweep("run1") == ["one"]
    assert list(docker.containers) == ["two"]
