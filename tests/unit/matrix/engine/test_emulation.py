from dataclasses import replace

import pytest

from tests.unit.matrix.engine.fake_docker import FakeDocker
from tests.unit.matrix.engine.test_box import IMAGE
from tvm.matrix.engine import emulation
from tvm.matrix.engine.client import Client


def why(docker: FakeDocker, client: Client, machine: str, image: str) -> str:
    docker.info["Architecture"] = machine
    made = docker.add_image("tvm-matrix/ndk:1", Architecture=image)
    return emulation.why(client, replace(IMAGE, image_id=made))


@pytest.mark.parametrize(
    ("machine", "image"),
    [("x86_64", "amd64"), ("aarch64", "arm64"), ("arm64", "arm64"), ("x86_64", "386"), ("aarch64", "arm")],
)
def test_an_image_that_the_machine_runs_itself_needs_no_warning(
    docker: FakeDocker, client: Client, machine: str, image: str
) -> None:
    assert why(docker, client, machine, image) == ""


@pytest.mark.parametrize(("machine", "image"), [("aarch64", "amd64"), ("x86_64", "arm64"), ("x86_64", "riscv64")])
def test_an_image_of_another_architecture_is_warned_of(
    docker: FakeDocker, client: Client, machine: str, image: str
) -> None:
    told = why(docker, client, machine, image)
    assert told.startswith(f"image ndk is for {image} and the engine's machine is ")
    assert told.endswith("emulated, many times slower")


@pytest.mark.parametrize(("machine", "image"), [("", "amd64"), ("x86_64", "")])
def test_what_is_not_told_is_not_claimed(docker: FakeDocker, client: Client, machine: str, image: str) -> None:
    assert why(docker, client, machine, image) == ""
