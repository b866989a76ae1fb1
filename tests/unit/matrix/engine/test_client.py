import threading
from collections.abc import Callable

import pytest
from docker.errors import APIError, DockerException

from tests.unit.matrix.engine.fake_docker import FakeDocker
from tvm.error import EngineError, ImageError
from tvm.matrix.engine.client import Client, engine_errors, finish, inspect_image, reason, remove_container, responses


def test_a_refusal_holds_the_engines_own_words(docker: FakeDocker, client: Client) -> None:
    docker.refuse("GET", "/info", 500, "disk is on fire")
    with (
        pytest.raises(EngineError, match="was to describe itself and refused: disk is on fire"),
        engine_errors("describe itself"),
    ):
        client.info()


def test_a_broken_connection_says_that_the_engine_went_away(docker: FakeDocker, client: Client) -> None:
    docker.cut("GET", "/info")
    with (
        pytest.raises(EngineError, match="went away while it was to describe itself") as caught,
        engine_errors("describe itself"),
    ):
        client.info()
    assert "nox -s engine" in caught.value.fix


@pytest.mark.parametrize(
    ("refusal", "fix"),
    [
        ("container create: container-init binary not found on the host", "install catatonit"),
        ("runc: error setting rlimits for ready process: error setting rlimit type 7", "default_ulimits"),
        ("no space left on device", "nox -s doctor"),
    ],
)
def test_what_podman_lacks_on_a_machine_is_told_with_what_to_do(
    docker: FakeDocker, client: Client, refusal: str, fix: str
) -> None:
    docker.refuse("GET", "/info", 500, refusal)
    with pytest.raises(EngineError, match="refused") as caught, engine_errors("describe itself"):
        client.info()
    assert fix in caught.value.fix


@pytest.mark.parametrize(("verify", "used"), [("/certs/ca.pem", "/certs/ca.pem"), (True, "/system.pem")])
def test_an_engines_own_authority_goes_before_the_one_of_the_environment(
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
    verify: str | bool,  # noqa: FBT001 - what requests calls so
    used: str,
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/system.pem")
    client.trust_env, client.verify = True, verify
    merged = client.merge_environment_settings(
        "https://127.0.0.1:2376/version", proxies={}, stream=None, verify=None, cert=None
    )
    assert merged["verify"] == used


def test_an_error_of_ours_passes_as_it_is() -> None:
    mine = ImageError("mine")
    with pytest.raises(ImageError, match="mine"), engine_errors("work"):
        raise mine


def test_an_error_that_is_not_the_engines_passes_as_it_is() -> None:
    with pytest.raises(FileNotFoundError), engine_errors("work"):
        raise FileNotFoundError


def test_the_reason_of_a_refusal_is_the_engines_own_words() -> None:
    error = DockerException("Error while fetching server API version")
    error.__cause__ = APIError("500", explanation="closed today")
    error.__cause__.__cause__ = OSError("HTTP 500")
    assert reason(error) == "closed today"


def test_the_reason_is_the_innermost_cause() -> None:
    error = RuntimeError("outer")
    error.__cause__ = ConnectionRefusedError(111, "Connection refused")
    assert reason(error) == "Connection refused"


def test_a_connection_that_breaks_without_a_word_is_told_as_such() -> None:
    assert reason(EOFError()) == "the connection broke off"


def test_finish_returns_what_the_call_gives() -> None:
    assert finish(lambda: 3) == 3


def test_finish_raises_what_the_call_raises() -> None:
    with pytest.raises(ZeroDivisionError):
        finish(lambda: 1 // 0)


def test_finish_waits_for_the_call_even_if_the_wait_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a request makes is known before the interrupt goes on."""
    ended = threading.Event()

    def interrupted(*_arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("concurrent.futures.Future.result", interrupted)
    with pytest.raises(KeyboardInterrupt):
        finish(_slow(ended))
    assert ended.is_set()


def _slow(ended: threading.Event) -> Callable[[], None]:
    def call() -> None:
        threading.Event().wait(0.1)
        ended.set()

    return call


def test_a_container_is_removed_with_its_volumes_whatever_it_does(docker: FakeDocker, client: Client) -> None:
    docker.containers["box"] = {"Labels": {}}
    remove_container(client, "box")
    (request,) = docker.asked("DELETE", "/containers/box")
    assert (request.query["force"], request.query["v"]) == ("True", "True")
    assert docker.containers == {}


def test_removing_a_container_that_is_gone_is_no_error(docker: FakeDocker, client: Client) -> None:
    remove_container(client, "box")
    assert len(docker.asked("DELETE", "/containers/box")) == 1


def test_removing_a_container_that_is_just_going_is_no_error(docker: FakeDocker, client: Client) -> None:
    docker.refuse("DELETE", "/containers/box", 409, "removal of container box is already in progress")
    remove_container(client, "box")
    assert len(docker.asked("DELETE", "/containers/box")) == 1


def test_a_removal_in_progress_is_waited_for(
    docker: FakeDocker, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that no container is seen after the run that was told to remove it."""
    docker.containers["box"] = {"config": {}}
    docker.refuse("DELETE", "/containers/box", 409, "removal of container box is already in progress")
    monkeypatch.setattr("time.sleep", lambda _seconds: docker.containers.clear())
    remove_container(client, "box")
    assert docker.containers == {}
    assert len(docker.asked("GET", "/containers/box/json")) == 2


def test_a_container_that_cannot_be_removed_is_an_error(docker: FakeDocker, client: Client) -> None:
    docker.refuse("DELETE", "/containers/box", 500, "device or resource busy")
    with pytest.raises(EngineError, match="resource busy"):
        remove_container(client, "box")


def test_an_image_that_is_not_there_is_none(client: Client) -> None:
    assert inspect_image(client, "nothing:1") is None


def test_an_image_that_is_there_is_told(docker: FakeDocker, client: Client) -> None:
    image_id = docker.add_image("some:1")
    found = inspect_image(client, "some:1")
    assert found is not None
    assert found["Id"] == image_id


def test_answers_are_closed_at_the_end_of_the_block(client: Client) -> None:
    with responses(client) as seen:
        client.info()
    client.info()
    assert len(seen) == 1
    assert seen[0].raw.closed


def test_answers_are_closed_when_the_block_raises(docker: FakeDocker, client: Client) -> None:
    docker.refuse("GET", "/info", 500, "no")
    with pytest.raises(APIError), responses(client) as seen:
        client.info()
    assert seen[0].raw.closed
    assert client.hooks["response"] == []
