import pytest

from tests.unit.matrix.engine.fake_docker import FakeDocker, as_lines
from tvm.error import ImageError
from tvm.matrix.engine import LABEL, Progress, base, labels
from tvm.matrix.engine.client import Client
from tvm.matrix.model import Suite

DIGEST = "sha256:" + "ab" * 32
PINNED = Suite(image="debian", digest=DIGEST)
PULLED, MADE = "tvm-matrix/debian-trixie:pulled-abababababababab", "tvm-matrix/debian-trixie:bootstrapped"


def silent(_text: str) -> None:
    """Take a line of progress and say nothing."""


@pytest.fixture(autouse=True)
def bootstraps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Put a function in place of mmdebstrap, and return the suites that it was asked for."""
    made: list[str] = []

    def bootstrap(_client: Client, suite: str, _progress: Progress, *, rolling: bool) -> str:
        made.append(f"{suite} rolling" if rolling else suite)
        return "sha256:made"

    monkeypatch.setattr(base, "bootstrap", bootstrap)
    return made


def _registry(docker: FakeDocker) -> None:
    docker.add_image(f"debian@{DIGEST}", RepoDigests=[f"debian@{DIGEST}"])
    docker.pull = lambda _name, _digest: as_lines([{"status": "ok"}])


def test_a_pinned_suite_is_pulled_before_it_is_bootstrapped() -> None:
    assert base.routes(PINNED) == [("pulled", DIGEST), ("bootstrapped", "")]


def test_a_suite_without_a_digest_is_only_bootstrapped() -> None:
    assert base.routes(Suite(image="debian")) == [("bootstrapped", "")]


def test_where_a_registry_answers_the_suite_is_pulled_and_labelled(
    docker: FakeDocker, client: Client, bootstraps: list[str]
) -> None:
    _registry(docker)
    found = base.debian(client, "trixie", PINNED, silent)
    assert (found.reference, found.route, found.digest, bootstraps) == (PULLED, "pulled", DIGEST, [])
    marks = docker.images[PULLED]["Config"]["Labels"]
    assert (marks[LABEL], marks[labels.LABEL_BASE_DIGEST]) == ("suite", DIGEST)


def test_where_no_registry_answers_the_suite_is_bootstrapped(
    docker: FakeDocker, client: Client, bootstraps: list[str]
) -> None:
    found = base.debian(client, "trixie", PINNED, silent)
    assert (found.reference, found.route, found.digest, bootstraps) == (MADE, "bootstrapped", "", ["trixie"])
    assert "no such host" in found.note
    assert docker.images[MADE]["Config"]["Labels"][labels.LABEL_NOTE] == found.note


def test_a_suite_that_is_not_pinned_is_not_pulled(docker: FakeDocker, client: Client, bootstraps: list[str]) -> None:
    found = base.debian(client, "forky", Suite(image="debian", rolling=True), silent)
    assert (found.route, bootstraps) == ("bootstrapped", ["forky rolling"])
    assert "not pinned: refused" in found.note
    assert docker.asked("POST", "/images/create") == []


def test_a_wrong_digest_is_no_reason_to_bootstrap(docker: FakeDocker, client: Client, bootstraps: list[str]) -> None:
    docker.pull = lambda _name, _digest: as_lines([{"error": "manifest unknown"}])
    with pytest.raises(ImageError, match="does not give"):
        base.debian(client, "trixie", PINNED, silent)
    assert bootstraps == []


def test_a_suite_that_is_there_is_used_without_asking(
    docker: FakeDocker, client: Client, bootstraps: list[str]
) -> None:
    docker.add_image(MADE, {LABEL: "suite", labels.LABEL_NOTE: "why"})
    found = base.debian(client, "trixie", PINNED, silent)
    assert (found.reference, found.note, bootstraps) == (MADE, "why", [])
    assert docker.asked("POST", "/images/create") == []


def test_an_image_of_that_name_without_our_label_is_not_used(
    docker: FakeDocker, client: Client, bootstraps: list[str]
) -> None:
    docker.add_image(MADE)
    base.debian(client, "trixie", PINNED, silent)
    assert bootstraps == ["trixie"]
