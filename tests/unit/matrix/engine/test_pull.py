import threading
from collections.abc import Iterator

import pytest

from tests.unit.matrix.engine import fake_docker
from tests.unit.matrix.engine.fake_docker import Answer, FakeDocker, as_lines, refusal
from tvm.error import EngineError, ImageError
from tvm.matrix.engine import pull as pulls
from tvm.matrix.engine.client import Client
from tvm.matrix.engine.pull import NoAnswer, pull

DIGEST = "sha256:" + "ab" * 32


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulls, "_BACKOFF", (0.0, 0.0, 0.0))


def silent(_text: str) -> None:
    """Take a line of progress and say nothing."""


class Registry:
    """Answers pulls one after the other; the last answer stays. `None` is a pull that works."""

    def __init__(self, docker: FakeDocker, *errors: str | None) -> None:
        self.docker, self.errors, self.asked = docker, list(errors), 0
        docker.pull = self.answer

    def answer(self, name: str, digest: str) -> Answer:
        error = self.errors[min(self.asked, len(self.errors) - 1)]
        self.asked += 1
        if error:
            return refusal(500, error)
        self.docker.add_image(f"{name}@{digest}", RepoDigests=[f"{name}@{digest}"])
        return as_lines([{"status": "Pull complete"}])


def test_a_pull_by_digest_gives_the_images_id(docker: FakeDocker, client: Client) -> None:
    Registry(docker, None)
    assert pull(client, "debian", DIGEST, silent) == docker.images[f"debian@{DIGEST}"]["Id"]


@pytest.mark.parametrize(
    "error",
    [
        'Get "https://registry-1.docker.io/v2/": dial tcp: lookup registry-1.docker.io on 10.0.0.1:53: no such host',
        'Get "https://127.0.0.1:5000/v2/": dial tcp 127.0.0.1:5000: connect: connection refused',
        'Get "https://r/v2/": x509: certificate signed by unknown authority',
    ],
)
def test_a_registry_that_is_not_reachable_is_no_answer_at_once(docker: FakeDocker, client: Client, error: str) -> None:
    registry = Registry(docker, error)
    with pytest.raises(NoAnswer):
        pull(client, "debian", DIGEST, silent)
    assert registry.asked == 1


def test_a_flaky_pull_is_tried_again(docker: FakeDocker, client: Client) -> None:
    registry = Registry(docker, "unexpected EOF", "received unexpected HTTP status: 503 Service Unavailable", None)
    told: list[str] = []
    assert pull(client, "debian", DIGEST, told.append)
    assert registry.asked == 3
    assert any("again in" in line for line in told)


def test_a_pull_that_stays_flaky_is_no_answer(docker: FakeDocker, client: Client) -> None:
    registry = Registry(docker, "unexpected EOF")
    with pytest.raises(NoAnswer, match="unexpected EOF"):
        pull(client, "debian", DIGEST, silent)
    assert registry.asked == 4


@pytest.mark.parametrize(
    "error",
    [f"manifest for debian@{DIGEST} not found: manifest unknown", "manifest verification failed for digest sha256:1"],
)
def test_a_wrong_digest_is_an_error_and_no_other_route(docker: FakeDocker, client: Client, error: str) -> None:
    registry = Registry(docker, error)
    with pytest.raises(ImageError, match="the registry answered, but does not give"):
        pull(client, "debian", DIGEST, silent)
    assert registry.asked == 1


def test_an_error_in_the_middle_of_a_pull_is_seen(docker: FakeDocker, client: Client) -> None:
    docker.pull = lambda _name, _digest: as_lines(
        [{"status": "Pulling"}, {"error": "filesystem layer verification failed"}]
    )
    with pytest.raises(ImageError, match="layer verification failed"):
        pull(client, "debian", DIGEST, silent)


def test_an_image_with_another_digest_than_the_pulled_one_is_refused(docker: FakeDocker, client: Client) -> None:
    docker.pull = lambda _name, _digest: as_lines([{"status": "ok"}])
    docker.add_image(f"debian@{DIGEST}", RepoDigests=["debian@sha256:" + "cd" * 32])
    with pytest.raises(ImageError, match="another one"):
        pull(client, "debian", DIGEST, silent)


def test_a_silent_registry_is_given_up(docker: FakeDocker, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulls, "_FIRST", 0.2)
    release = threading.Event()
    docker.pull = lambda _name, _digest: fake_docker.Answer(pieces=_silence(release))
    with pytest.raises(NoAnswer, match="no word from the registry"):
        pull(client, "debian", DIGEST, silent)
    release.set()


def _silence(release: threading.Event) -> Iterator[bytes]:
    release.wait(10)
    yield b"{}"


def test_an_engine_that_goes_away_during_a_pull_is_an_error(docker: FakeDocker, client: Client) -> None:
    docker.cut("POST", "/images/create")
    with pytest.raises(EngineError, match="went away"):
        pull(client, "debian", DIGEST, silent)
