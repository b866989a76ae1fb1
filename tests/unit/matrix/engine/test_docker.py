from typing import Any

import pytest

from tests.unit.matrix.engine.fake_docker import FakeDocker
from tests.unit.matrix.engine.test_box import IMAGE, options
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
