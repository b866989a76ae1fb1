import io
from pathlib import Path
from typing import Any

import pytest

from tests.unit.matrix.engine.fake_docker import FakeDocker, Json, Ran, as_json, one_file, refusal
from tests.unit.matrix.engine.test_box import IMAGE, options
from tests.unit.matrix.projects import make_project
from tvm.error import EngineError
from tvm.matrix.engine.client import Client
from tvm.matrix.engine.discover import Connection, Endpoint
from tvm.matrix.engine.docker import DockerEngine

Info = dict[str, Any]
NVIDIA_RUNTIME: Info = {"Runtimes": {"nvidia": {}, "runc": {}}}
NVIDIA_CDI: Info = {"DiscoveredDevices": [{"Source": "cdi", "ID": "nvidia.com/gpu=0"}]}
NO_GPU: Info = {"Runtimes": {"runc": {}}, "DiscoveredDevices": [{"Source": "cdi", "ID": "amd.com/gpu=0"}]}


def requests(docker: FakeDocker, client: Client, **changes: Any) -> Any:
    """Return what a box that is opened asks the engine for beside its image."""
    endpoint = Endpoint(address="unix:///x", origin="a test")
    connection = Connection(client=client, name="docker", version="20.10", endpoint=endpoint)
    box = DockerEngine(connection).open(IMAGE, options(**changes))
    return docker.containers[box.name]["config"]["HostConfig"].get("DeviceRequests")


@pytest.mark.parametrize("info", [NVIDIA_RUNTIME, NVIDIA_CDI])
def test_a_gpu_is_passed_where_it_is_asked_for_and_there(docker: FakeDocker, client: Client, info: Info) -> None:
    docker.info |= info
    (request,) = requests(docker, client, gpu=True)
    assert (request["Count"], request["Capabilities"]) == (-1, [["gpu"]])


def test_no_gpu_is_passed_where_none_is_asked_for(docker: FakeDocker, client: Client) -> None:
    docker.info |= NVIDIA_RUNTIME
    assert requests(docker, client, gpu=False) is None


@pytest.mark.parametrize("info", [NO_GPU, {}])
def test_a_box_opens_without_a_gpu_where_the_engine_knows_of_none(
    docker: FakeDocker, client: Client, info: Info
) -> None:
    docker.info |= info
    assert requests(docker, client, gpu=True) is None


# What an engine would need root, the host's files, or a relabelling of them for.
_NEVER = {
    "Binds",
    "Mounts",
    "VolumesFrom",
    "Privileged",
    "Devices",
    "CapAdd",
    "UsernsMode",
    "PidMode",
    "IpcMode",
    "Links",
}
_INFO: dict[str, Json] = {
    "docker": {"Architecture": "x86_64"},
    "podman": {"Architecture": "amd64", "SecurityOptions": ["name=selinux", "name=rootless"]},
}


def engine(client: Client, kind: str) -> DockerEngine:
    endpoint = Endpoint(address="unix:///x", origin="a test")
    return DockerEngine(Connection(client=client, name=kind, version="1", endpoint=endpoint))


def sent(docker: FakeDocker, client: Client, kind: str, root: Path) -> list[Json]:
    """Do all that a run does, and return what the engine was asked to make: container bodies."""
    docker.info |= _INFO[kind]
    docker.archives["/out"] = one_file("out/note", b"x")
    started = engine(client, kind)
    image = started.prepare(make_project(root), "host", lambda _text: None)
    box = started.open(image, options(source="/src", user=1000))
    box.put([b"\0" * 1024])
    box.run(["true"], timeout=5)
    box.get("/out", io.BytesIO())
    box.close()
    return [request.json for request in docker.asked("POST", "/containers/create")]


@pytest.mark.parametrize("kind", ["docker", "podman"])
def test_a_rootless_engine_or_one_under_selinux_gets_nothing_it_must_refuse(
    docker: FakeDocker, client: Client, tmp_path: Path, kind: str
) -> None:
    """A user that is not root, no mount of this machine, and so no label for one; the tree goes in and out as a stream."""
    docker.add_image("tvm-matrix/debian-trixie:bootstrapped", {"org.tvm-matrix": "suite"})
    bodies = sent(docker, client, kind, tmp_path)
    assert len(bodies) > 1
    for body in bodies:
        # What only reads an inventory is never started.
        host = body.get("HostConfig") or {}
        assert {name: host[name] for name in _NEVER if host.get(name)} == {}
        assert not body.get("Volumes")
        assert host.get("SecurityOpt") in (None, ["no-new-privileges"])
    assert bodies[-1]["User"] == "1000:1000"
    assert [path for path, _ in docker.received] == ["/tmp"]
    for build in docker.asked("POST", "/build"):
        assert {"volume", "volumes", "securityopt", "squash", "platform"} & build.query.keys() == set()


def test_podman_gets_no_owner_for_the_folder_of_the_tree_but_may_write_there(
    docker: FakeDocker, client: Client
) -> None:
    box = engine(client, "podman").open(IMAGE, options(source="/other", user=1234))
    host = docker.containers[box.name]["config"]["HostConfig"]
    assert host["Tmpfs"] == {"/other": "rw,exec,nosuid,nodev,size=4g,mode=1777"}
    (call,) = docker.asked("POST", f"/containers/{box.name}/exec")
    assert (call.json["Cmd"], call.json["User"]) == (["chmod", "1777", "/other"], "0:0")


def test_a_folder_that_cannot_be_opened_leaves_no_box(docker: FakeDocker, client: Client) -> None:
    docker.program = lambda _argv: Ran(output=(b"chmod: no such file",), code=1)
    with pytest.raises(EngineError, match="has no folder for the tree: chmod: no such file"):
        engine(client, "podman").open(IMAGE, options())
    assert docker.containers == {}


def test_a_box_that_is_emulated_is_warned_of_while_it_is_prepared(
    docker: FakeDocker, client: Client, tmp_path: Path
) -> None:
    docker.add_image("tvm-matrix/debian-trixie:bootstrapped", {"org.tvm-matrix": "suite"})
    docker.info["Architecture"] = "aarch64"
    docker.on("GET", "/images/(.+)/json", lambda _request, match: _on_amd64(docker, match[1]))
    lines: list[str] = []
    image = engine(client, "docker").prepare(make_project(tmp_path), "host", lines.append)
    assert image.emulation.startswith("image host is for amd64 and the engine's machine is arm64")
    assert lines[-1] == f"warning: {image.emulation}"


def _on_amd64(docker: FakeDocker, name: str) -> Any:
    found = docker.images.get(name)
    return as_json({**found, "Architecture": "amd64"}) if found else refusal(404, "No such image")
