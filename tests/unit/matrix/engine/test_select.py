from pathlib import Path

import pytest

from tests.unit.matrix.engine.fake_docker import FakeDocker
from tests.unit.stand_in import MakeStandIn
from tvm.error import ConfigError, EngineError
from tvm.matrix.engine import discover, install, unable
from tvm.matrix.engine import select as selecting
from tvm.matrix.engine.discover import Endpoint
from tvm.matrix.engine.docker import DockerEngine
from tvm.matrix.engine.layout import Layout
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
    assert caught.value.fix == "one of auto, docker, podman, local"


@pytest.fixture
def bare(tmp_path: Path, no_sockets: None, monkeypatch: pytest.MonkeyPatch) -> Layout:  # noqa: ARG001 - prepares
    """Return the layout of a machine on which nothing answers."""
    layout = Layout(run=tmp_path / "run", home=tmp_path)
    monkeypatch.delenv("DOCKER_HOST")
    monkeypatch.setattr(install, "_SYSTEM_FOLDERS", ())
    monkeypatch.setattr(
        discover, "endpoints", lambda *_: [Endpoint(address=layout.address, origin="our private engine")]
    )
    monkeypatch.setattr(selecting, "DEFAULT", layout)
    return layout


@pytest.mark.parametrize(("option", "variable"), [("local", "docker"), (None, "local")])
def test_this_machine_is_taken_where_it_is_asked_for(
    option: str | None, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Although an engine answers."""
    monkeypatch.setenv("TVM_MATRIX_ENGINE", variable)
    assert select(option).name == "local"


@pytest.mark.usefixtures("bare")
def test_where_no_engine_is_installed_auto_is_this_machine() -> None:
    engine = select(None)
    assert engine.name == "local"
    assert engine.describe().endswith("; no container engine is installed")


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize("program", ["docker", "dockerd", "podman"])
def test_an_installed_engine_that_does_not_answer_is_an_error_with_its_fix(stand_in: MakeStandIn, program: str) -> None:
    stand_in(program)
    with pytest.raises(EngineError, match="no container engine answers") as caught:
        select(None)
    assert "nox -s engine" in caught.value.fix


@pytest.mark.usefixtures("bare")
def test_an_engine_that_was_asked_for_by_its_name_is_never_replaced() -> None:
    with pytest.raises(EngineError, match="no podman engine answers"):
        select("podman")


def test_where_dockerd_cannot_run_auto_is_this_machine_and_says_why(bare: Layout, stand_in: MakeStandIn) -> None:
    stand_in("dockerd")
    unable.record(bare, "failed to mount overlay: operation not permitted")
    engine = select(None)
    assert engine.name == "local"
    assert engine.describe().endswith("dockerd cannot run here (failed to mount overlay: operation not permitted)")


def test_an_engine_that_answers_wins_over_what_was_written_down(
    bare: Layout, docker: FakeDocker, monkeypatch: pytest.MonkeyPatch
) -> None:
    unable.record(bare, "failed to mount overlay")
    monkeypatch.setattr(
        discover, "endpoints", lambda *_: [Endpoint(address=docker.address, origin="the default socket")]
    )
    assert _selected(None) == "docker"
