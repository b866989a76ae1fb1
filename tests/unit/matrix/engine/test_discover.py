import json
import socket
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import pytest

from tests.unit.matrix.engine.fake_docker import FakeDocker
from tests.unit.stand_in import MakeStandIn
from tvm.error import EngineError
from tvm.matrix.engine import discover, install
from tvm.matrix.engine.discover import Endpoint, NoEngineError, connect, endpoints, find, installed
from tvm.matrix.engine.layout import Layout

pytestmark = pytest.mark.usefixtures("no_sockets")


def _layout(folder: Path) -> Layout:
    return Layout(run=folder / "none", home=folder / "home")


def _context(home: Path, name: str, host: str) -> None:
    """Write what `docker context create` and `docker context use` write."""
    folder = home / ".docker" / "contexts" / "meta" / sha256(name.encode()).hexdigest()
    folder.mkdir(parents=True)
    meta = {"Name": name, "Metadata": {}, "Endpoints": {"docker": {"Host": host, "SkipTLSVerify": False}}}
    (folder / "meta.json").write_text(json.dumps(meta))
    (home / ".docker" / "config.json").write_text(json.dumps({"currentContext": name}))


def _home() -> Path:
    return Path.home()


@pytest.mark.parametrize("variable", ["TVM_MATRIX_DOCKER_HOST", "DOCKER_HOST"])
def test_a_variable_stands_alone(variable: str) -> None:
    assert [(one.address, one.named) for one in endpoints({variable: "unix:///x.sock"})] == [("unix:///x.sock", True)]


def test_our_own_variable_comes_first() -> None:
    named = endpoints({"DOCKER_HOST": "unix:///b.sock", "TVM_MATRIX_DOCKER_HOST": "unix:///a.sock"})
    assert [one.origin for one in named] == ["TVM_MATRIX_DOCKER_HOST"]


def test_without_a_variable_the_order_is_context_private_default_podman() -> None:
    _context(_home(), "work", "unix:///work.sock")
    found = endpoints({"XDG_RUNTIME_DIR": "/run/user/7"}, Layout(run=Path("/run/ours")))
    assert [one.address for one in found] == [
        "unix:///work.sock",
        "unix:///run/ours/docker.sock",
        f"unix://{discover._DEFAULT_SOCKET}",
        f"unix://{discover._PODMAN_SOCKET}",
        "unix:///run/user/7/podman/podman.sock",
    ]
    assert not any(one.named for one in found)


def test_the_default_context_is_the_default_socket_and_not_tried_twice() -> None:
    assert [one.origin for one in endpoints({})] == ["our private engine", "the default socket", "Podman's socket"]


def test_a_context_named_by_a_variable_stands_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    _context(_home(), "work", "unix:///work.sock")
    monkeypatch.setenv("DOCKER_CONTEXT", "work")
    assert [(one.address, one.named) for one in endpoints({"DOCKER_CONTEXT": "work"})] == [("unix:///work.sock", True)]


def test_a_context_that_is_not_there_is_an_error() -> None:
    with pytest.raises(EngineError, match="DOCKER_CONTEXT names the context 'gone'"):
        endpoints({"DOCKER_CONTEXT": "gone"})


def test_a_damaged_context_is_an_error() -> None:
    _context(_home(), "work", "unix:///work.sock")
    next((_home() / ".docker" / "contexts").rglob("meta.json")).write_text("{")
    with pytest.raises(EngineError, match="context cannot be read"):
        endpoints({})


def test_unusable_tls_settings_are_an_error(tmp_path: Path) -> None:
    environ = {"DOCKER_HOST": "tcp://h:2376", "DOCKER_TLS_VERIFY": "1", "DOCKER_CERT_PATH": str(tmp_path / "none")}
    with pytest.raises(EngineError, match="TLS settings"):
        endpoints(environ)


def test_the_first_that_answers_is_taken(docker: FakeDocker) -> None:
    _context(_home(), "work", "unix:///nowhere.sock")
    layout = Layout(run=Path(docker.address.removeprefix("unix://")).parent)
    found = find(environ={}, private=layout)
    assert (found.name, found.endpoint.origin, found.version) == ("docker", "our private engine", "20.10.24")
    found.client.close()


def test_podman_is_told_apart(docker: FakeDocker) -> None:
    docker.version["Components"] = [{"Name": "Podman Engine"}]
    found = find(environ={"DOCKER_HOST": docker.address})
    assert found.name == "podman"
    found.client.close()


def test_podman_at_dockers_socket_is_told_apart(docker: FakeDocker, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package podman-docker puts a link to Podman's socket there."""
    docker.version["Components"] = [{"Name": "Podman Engine"}]
    monkeypatch.setattr(discover, "_DEFAULT_SOCKET", Path(docker.address.removeprefix("unix://")))
    nowhere = Layout(run=Path("/nowhere"))
    found = find(environ={}, private=nowhere)
    assert (found.name, found.endpoint.origin) == ("podman", "the default socket")
    found.client.close()
    with pytest.raises(EngineError, match="no docker engine answers") as caught:
        find("docker", environ={}, private=nowhere)
    assert any("this is podman, not docker" in place for place in caught.value.looked)


def test_one_of_another_kind_is_passed_over(docker: FakeDocker) -> None:
    layout = Layout(run=Path(docker.address.removeprefix("unix://")).parent)
    with pytest.raises(EngineError, match="no podman engine answers") as caught:
        find("podman", environ={}, private=layout)
    assert any("this is docker, not podman" in place for place in caught.value.looked)


@pytest.mark.parametrize(
    "environ", [{"TVM_MATRIX_DOCKER_HOST": "unix:///nowhere/x.sock"}, {"DOCKER_HOST": "unix:///nowhere/x.sock"}]
)
def test_a_named_one_that_does_not_answer_is_never_passed_over(environ: Mapping[str, str], docker: FakeDocker) -> None:
    """Another engine answers here, but the user asked for that one."""
    layout = Layout(run=Path(docker.address.removeprefix("unix://")).parent)
    with pytest.raises(EngineError, match="does not answer: no socket is there") as caught:
        find(environ=environ, private=layout)
    assert f"unset {next(iter(environ))}" in caught.value.fix


def test_when_none_answers_the_error_says_where_it_looked(tmp_path: Path) -> None:
    with pytest.raises(NoEngineError, match="no container engine answers") as caught:
        find(environ={}, private=_layout(tmp_path))
    assert len(caught.value.looked) == 3
    assert "nox -s engine" in caught.value.fix


def test_a_socket_that_nobody_listens_on_is_told(docker: FakeDocker) -> None:
    docker.cut("GET", "/version")
    with pytest.raises(EngineError, match="does not answer"):
        connect(Endpoint(address=docker.address, origin="DOCKER_HOST", named=True))


def test_a_socket_without_permission_says_what_to_do(docker: FakeDocker, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_self: socket.socket, _address: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("socket.socket.connect", refused)
    with pytest.raises(EngineError, match="Permission denied") as caught:
        connect(Endpoint(address=docker.address, origin="the default socket"))
    assert "group" in caught.value.fix


def test_a_socket_that_its_engine_left_behind_is_told(short_folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(short_folder / "docker.sock"))
    with pytest.raises(EngineError, match="Connection refused"):
        connect(Endpoint(address=f"unix://{short_folder}/docker.sock", origin="the default socket"))


def test_an_address_that_is_none_is_an_error() -> None:
    with pytest.raises(EngineError, match="does not answer"):
        connect(Endpoint(address="gopher://x", origin="DOCKER_HOST", named=True))


def test_a_machine_without_program_socket_or_context_has_no_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(install, "_SYSTEM_FOLDERS", ())
    assert not installed({}, _layout(tmp_path))


@pytest.mark.parametrize("program", ["docker", "dockerd", "podman"])
def test_a_program_of_an_engine_is_one_that_is_installed(
    tmp_path: Path, stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    monkeypatch.setattr(install, "_SYSTEM_FOLDERS", ())
    stand_in(program)
    assert installed({}, _layout(tmp_path))


def test_a_socket_is_one_too_whether_it_answers_or_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(install, "_SYSTEM_FOLDERS", ())
    layout = Layout(run=tmp_path)
    layout.socket.touch()
    assert installed({}, layout)


def test_so_is_a_context_that_leads_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(install, "_SYSTEM_FOLDERS", ())
    _context(_home(), "work", "tcp://work:2376")
    assert installed({}, _layout(tmp_path))
