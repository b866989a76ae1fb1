from pathlib import Path

import pytest

from tests.unit.matrix.engine.fake_docker import FakeDocker, as_lines
from tests.unit.stand_in import MakeStandIn
from tvm.error import ImageError
from tvm.matrix.engine.bootstrap import arguments, bootstrap
from tvm.matrix.engine.client import Client

# mmdebstrap writes its last argument; `unshare` becomes what follows `--`.
MAKES_TAR = "open(args[-1], 'wb').write(b'tar')"
UNSHARE = "os.execvp(args[2], args[2:])"


@pytest.fixture(autouse=True)
def _root(monkeypatch: pytest.MonkeyPatch, stand_in: MakeStandIn) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    stand_in("unshare", body=UNSHARE)


def test_a_stable_suite_is_made_with_the_mirrors_checks() -> None:
    assert arguments("trixie", Path("/t/root.tar"), rolling=False) == [
        "mmdebstrap",
        "--variant=minbase",
        "--include=ca-certificates",
        "--components=main",
        "--format=tar",
        '--aptopt=Acquire::Retries "3"',
        "trixie",
        "/t/root.tar",
    ]


def test_a_rolling_suite_may_be_past_its_date() -> None:
    assert '--aptopt=Acquire::Check-Valid-Until "false"' in arguments("forky", Path("/t"), rolling=True)


def test_a_suite_is_made_in_a_mount_namespace_and_imported(
    docker: FakeDocker, client: Client, stand_in: MakeStandIn
) -> None:
    made = stand_in("mmdebstrap", body=MAKES_TAR)
    image_id = bootstrap(client, "trixie", lambda _text: None, rolling=False)
    assert made.calls[0][-2] == "trixie"
    assert docker.images["imported"]["Id"] == image_id
    (request,) = docker.asked("POST", "/images/create")
    assert request.body == b"tar"
    assert request.query["changes"] == "LABEL org.tvm-matrix=suite"


def test_times_are_fixed_so_that_the_tar_is_the_same_twice(client: Client, stand_in: MakeStandIn) -> None:
    made = stand_in("mmdebstrap", body=MAKES_TAR)
    bootstrap(client, "trixie", lambda _text: None, rolling=False)
    assert made.environments[0]["SOURCE_DATE_EPOCH"].isdigit()


def test_without_root_there_is_no_unshare(
    client: Client, stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    unshare, made = stand_in("unshare"), stand_in("mmdebstrap", body=MAKES_TAR)
    bootstrap(client, "trixie", lambda _text: None, rolling=False)
    assert (len(made.calls), unshare.calls) == (1, [])


@pytest.mark.usefixtures("docker")
def test_without_mmdebstrap_the_error_says_what_to_install(client: Client) -> None:
    with pytest.raises(ImageError, match="cannot be bootstrapped: program not found: 'mmdebstrap'") as caught:
        bootstrap(client, "trixie", lambda _text: None, rolling=False)
    assert "apt-get install -y mmdebstrap" in caught.value.fix


def test_a_failing_mmdebstrap_is_shown(client: Client, stand_in: MakeStandIn) -> None:
    stand_in("mmdebstrap", output="E: Unable to locate package ca-certificates\n", code=25)
    with pytest.raises(ImageError, match="suite trixie cannot be bootstrapped:\nE: Unable to locate"):
        bootstrap(client, "trixie", lambda _text: None, rolling=False)


def test_an_import_that_fails_is_an_error(docker: FakeDocker, client: Client, stand_in: MakeStandIn) -> None:
    stand_in("mmdebstrap", body=MAKES_TAR)
    docker.on("POST", "/images/create", lambda _request, _match: as_lines([{"error": "no space left on device"}]))
    with pytest.raises(ImageError, match="cannot be imported: no space left"):
        bootstrap(client, "trixie", lambda _text: None, rolling=False)
