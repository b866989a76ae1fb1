import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import pytest

from tests.unit.matrix.engine.fake_docker import FakeDocker, serving
from tests.unit.matrix.projects import TEXT, make_project
from tvm.error import EngineError
from tvm.matrix.engine import Engine, hosts
from tvm.matrix.engine.docker import DockerEngine
from tvm.matrix.model import Project

_Key = TypeVar("_Key")
_OTHER = "  other:\n    image: host\n    checks: {tar: []}\n"


@pytest.fixture
def far() -> Iterator[FakeDocker]:
    """Return the engine of another machine."""
    with serving() as fake:
        fake.version["Version"] = "99.0"
        yield fake


@pytest.fixture(autouse=True)
def _here(docker: FakeDocker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", docker.address)


def project(root: Path, engines: str) -> Project:
    return make_project(root, f"{TEXT}{_OTHER}engines: {engines}\n")


def told(engines: Mapping[_Key, Engine]) -> dict[_Key, str]:
    """Return the version of each cell's engine; they are closed."""
    found = {cell: engine.describe().split()[1] for cell, engine in engines.items()}
    for engine in engines.values():
        assert isinstance(engine, DockerEngine)
        engine.client.close()
    return found


def test_a_cell_runs_on_the_host_that_the_matrix_names_and_the_others_here(tmp_path: Path, far: FakeDocker) -> None:
    found = hosts.of_cells(project(tmp_path, f'{{other: "{far.address}"}}'), ["host", "other"], None)
    assert told(found) == {"host": "20.10.24", "other": "99.0"}


def test_cells_of_one_host_share_its_engine(tmp_path: Path, far: FakeDocker) -> None:
    matrix = project(tmp_path, f'{{host: "{far.address}", other: "{far.address}"}}')
    found = hosts.of_cells(matrix, ["host", "other"], None)
    assert found["host"] is found["other"]
    assert set(told(found).values()) == {"99.0"}


def test_the_engine_of_this_machine_is_not_asked_where_nothing_runs_on_it(
    tmp_path: Path, far: FakeDocker, docker: FakeDocker
) -> None:
    told(hosts.of_cells(project(tmp_path, f'{{other: "{far.address}"}}'), ["other"], None))
    assert docker.requests == []


@pytest.mark.parametrize("variable", ["TVM_MATRIX_DOCKER_HOST", "TVM_MATRIX_ENGINE"])
def test_a_variable_of_ours_takes_all_cells(
    tmp_path: Path, docker: FakeDocker, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, docker.address if variable.endswith("HOST") else "docker")
    found = hosts.of_cells(project(tmp_path, "{other: ssh://nowhere}"), ["other"], None)
    assert told(found) == {"other": "20.10.24"}


def test_the_option_takes_all_cells(tmp_path: Path) -> None:
    assert told(hosts.of_cells(project(tmp_path, "{other: ssh://nowhere}"), ["other"], "docker")) == {
        "other": "20.10.24"
    }


def test_auto_names_no_engine(tmp_path: Path, far: FakeDocker) -> None:
    found = hosts.of_cells(project(tmp_path, f'{{other: "{far.address}"}}'), ["other"], "auto")
    assert told(found) == {"other": "99.0"}


def test_every_engine_of_the_matrix_is_found_once(tmp_path: Path, far: FakeDocker) -> None:
    found = hosts.every(project(tmp_path, f'{{other: "{far.address}"}}'), None)
    assert told(dict(enumerate(found))) == {0: "20.10.24", 1: "99.0"}


def test_a_host_may_be_a_docker_context(tmp_path: Path, far: FakeDocker) -> None:
    folder = Path.home() / ".docker" / "contexts" / "meta" / sha256(b"big").hexdigest()
    folder.mkdir(parents=True)
    meta = {"Name": "big", "Metadata": {}, "Endpoints": {"docker": {"Host": far.address, "SkipTLSVerify": False}}}
    (folder / "meta.json").write_text(json.dumps(meta))
    with pytest.raises(EngineError, match=r"'big' cannot be read: .*config.json is missing") as caught:
        hosts.of_cells(project(tmp_path, "{other: big}"), ["other"], None)
    assert caught.value.fix.startswith("write {} into that file")
    (Path.home() / ".docker" / "config.json").write_text("{}")
    found = hosts.of_cells(project(tmp_path, "{other: big}"), ["other"], None)
    assert "(matrix.yaml, engines: context big)" in found["other"].describe()
    assert told(found) == {"other": "99.0"}


@pytest.mark.parametrize("name", ["gone", "default"])
def test_a_context_that_this_machine_does_not_have_is_told_with_what_to_do(tmp_path: Path, name: str) -> None:
    with pytest.raises(EngineError, match=f"names the docker context '{name}', which this machine does not") as caught:
        hosts.of_cells(project(tmp_path, f"{{other: {name}}}"), ["other"], None)
    assert "docker context create" in caught.value.fix
    assert "--engine docker" in caught.value.fix


def test_a_host_that_does_not_answer_is_never_passed_over(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="does not answer: no socket is there") as caught:
        hosts.of_cells(project(tmp_path, '{other: "unix:///nowhere/x.sock"}'), ["other"], None)
    assert caught.value.fix.startswith("start that engine, or run all cells on one engine")
