import pytest

from tests.unit.matrix.engine.fake_docker import FakeDocker
from tvm.error import ConfigError, EngineError
from tvm.matrix.engine.docker import DockerEngine
from tvm.matrix.engine.select import select


def _selected(name: str | None) -> str:
    engine = select(name)
    assert isinstance(engine, DockerEngine)
    engine.client.close()
    return engine.name


@pytest.fixture(autouse=True)
def _named(docker: FakeDocker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", docker.address)


@pytest.mark.parametrize("name", [None, "auto", "docker"])
def test_the_engine_that_answers_is_taken(name: str | None) -> None:
    assert _selected(name) == "docker"


def test_the_variable_is_asked_without_an_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_MATRIX_ENGINE", "podman")
    with pytest.raises(EngineError, match="no podman engine answers"):
        select(None)


def test_the_option_wins_over_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_MATRIX_ENGINE", "podman")
    assert _selected("docker") == "docker"


@pytest.mark.parametrize(
    ("option", "variable", "origin"), [("kvm", "auto", "--engine"), (None, "kvm", "TVM_MATRIX_ENGINE")]
)
def test_an_unknown_engine_is_refused_with_the_known_ones(
    option: str | None, variable: str, origin: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TVM_MATRIX_ENGINE", variable)
    with pytest.raises(ConfigError, match=f"{origin} asks for the engine 'kvm'") as caught:
        select(option)
    assert caught.value.fix == "one of auto, docker, podman"
