import io
import threading
from collections.abc import Iterator

import pytest

from tests.unit.matrix.engine.fake_docker import Answer, FakeDocker, Json, Request, as_lines
from tvm.error import EngineError, ImageError, VendorError
from tvm.matrix.engine import Progress
from tvm.matrix.engine.build import build, label
from tvm.matrix.engine.client import Client

STEPS: list[Json] = [
    {"stream": "Step 1/2 : ARG BASE"},
    {"stream": "\n"},
    {"stream": "Step 2/2 : RUN make\n"},
    {"stream": " ---> Running in 0123456789ab\n"},
    {"stream": "cc: error\nmake: stop\n"},
]


def silent(_text: str) -> None:
    """Take a step and say nothing."""


def test_a_build_gives_the_images_id(docker: FakeDocker, client: Client) -> None:
    image_id = build(client, "image ndk", io.BytesIO(b"tar"), silent, tag="tvm-matrix/ndk:1")
    assert docker.images["tvm-matrix/ndk:1"]["Id"] == image_id


def test_a_build_sends_its_context_and_arguments_over_the_hosts_network(docker: FakeDocker, client: Client) -> None:
    build(client, "image ndk", io.BytesIO(b"the tar"), silent, arguments={"BASE": "b:1"})
    (request,) = docker.asked("POST", "/build")
    assert request.body == b"the tar"
    assert request.query["buildargs"] == '{"BASE": "b:1"}'
    assert (request.query["networkmode"], request.query["rm"], request.query["forcerm"]) == ("host", "True", "True")


def test_each_step_is_told_once(docker: FakeDocker, client: Client) -> None:
    docker.steps = STEPS
    told: list[str] = []
    build(client, "image ndk", io.BytesIO(), told.append)
    assert told == ["step 1/2: ARG BASE", "step 2/2: RUN make"]


def test_podmans_way_to_write_steps_is_understood(docker: FakeDocker, client: Client) -> None:
    docker.steps = [{"stream": "STEP 3/9: RUN x\n"}]
    told: list[str] = []
    build(client, "image ndk", io.BytesIO(), told.append)
    assert told == ["step 3/9: RUN x"]


def test_a_failing_step_is_shown_with_its_own_output_only(docker: FakeDocker, client: Client) -> None:
    earlier: list[Json] = [{"stream": "Step 1/2 : RUN ok\nnoise\n"}]
    failed = [
        *earlier,
        *STEPS[2:],
        {"stream": "Removing intermediate container 0123456789ab\n"},
        {"error": "The command '/bin/sh -c make' returned a non-zero code: 2"},
    ]
    docker.on("POST", "/build", lambda _request, _match: as_lines(failed))
    with pytest.raises(ImageError) as caught:
        build(client, "image ndk", io.BytesIO(), silent)
    assert "failed at step 2/2: RUN make\ncc: error\nmake: stop\nThe command" in caught.value.cause
    assert "noise" not in caught.value.cause


def test_only_the_end_of_a_long_output_is_shown(docker: FakeDocker, client: Client) -> None:
    failed: list[Json] = [{"stream": "".join(f"line {number}\n" for number in range(500))}, {"error": "no"}]
    docker.on("POST", "/build", lambda _request, _match: as_lines(failed))
    with pytest.raises(ImageError) as caught:
        build(client, "image ndk", io.BytesIO(), silent)
    assert "line 499" in caught.value.cause
    assert "line 430" not in caught.value.cause


def test_a_vendors_download_that_fails_is_a_vendor_error(docker: FakeDocker, client: Client) -> None:
    failed: list[Json] = [
        # Docker colours what a step writes to stderr.
        {"stream": "Step 1/1 : RUN get\n\x1b[91mfetch: https://v/x.zip: sha256 is 1, the pin says 2\n\x1b[0m"},
        {"error": "code: 1"},
    ]
    docker.on("POST", "/build", lambda _request, _match: as_lines(failed))
    with pytest.raises(VendorError, match="the pin says 2"):
        build(client, "image ndk", io.BytesIO(), silent)


def test_a_build_that_gives_no_image_is_an_error(docker: FakeDocker, client: Client) -> None:
    docker.on("POST", "/build", lambda _request, _match: as_lines([{"stream": "Step 1/1 : FROM x\n"}]))
    with pytest.raises(ImageError, match="told no image ID"):
        build(client, "image ndk", io.BytesIO(), silent)


def test_a_refused_build_is_an_engine_error(docker: FakeDocker, client: Client) -> None:
    docker.refuse("POST", "/build", 500, "no space left on device")
    with pytest.raises(EngineError, match="refused to build: no space left"):
        build(client, "image ndk", io.BytesIO(), silent)


def test_an_engine_that_goes_away_is_told(docker: FakeDocker, client: Client) -> None:
    docker.cut("POST", "/build")
    with pytest.raises(EngineError, match="went away while it was to build image ndk"):
        build(client, "image ndk", io.BytesIO(), silent)


def test_an_interrupted_build_waits_until_its_container_is_gone(docker: FakeDocker, client: Client) -> None:
    """The engine ends a build whose client has gone, and removes the container a moment later."""
    docker.containers["0123456789ab"] = {"Labels": {}}
    release = threading.Event()

    def building(_request: Request, _match: object) -> Answer:
        return Answer(pieces=_endless(release))

    docker.on("POST", "/build", building)
    threading.Timer(0.3, lambda: docker.containers.pop("0123456789ab", None)).start()
    with pytest.raises(KeyboardInterrupt):
        build(client, "image ndk", io.BytesIO(), _interrupt_at("step 2/2"))
    release.set()
    assert docker.containers == {}
    assert len(docker.asked("GET", "/containers/0123456789ab/json")) > 1


def _endless(release: threading.Event) -> Iterator[bytes]:
    yield b'{"stream": "Step 1/2 : RUN a\\n ---> Running in 0123456789ab\\n"}\r\n'
    yield b'{"stream": "Step 2/2 : RUN b\\n"}\r\n'
    release.wait(10)


def _interrupt_at(step: str) -> Progress:
    def progress(text: str) -> None:
        if text.startswith(step):
            raise KeyboardInterrupt

    return progress


def test_a_label_is_a_build_of_its_own_without_content(docker: FakeDocker, client: Client) -> None:
    image_id = label(client, "image ndk", "sha256:1", {"a": 'quote " and $dollar'}, "tvm-matrix/ndk:1")
    assert docker.images["tvm-matrix/ndk:1"]["Id"] == image_id
    assert docker.images["tvm-matrix/ndk:1"]["Config"]["Labels"] == {"a": 'quote " and $dollar'}
    assert b"FROM sha256:1\n" in docker.asked("POST", "/build")[0].body
