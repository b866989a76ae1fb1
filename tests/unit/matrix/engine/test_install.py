import pytest

from tests.unit.stand_in import MakeStandIn, StandIn
from tvm.error import EngineError
from tvm.matrix.engine import install


@pytest.fixture(autouse=True)
def _no_system_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(install, "_SYSTEM_FOLDERS", ())


@pytest.fixture
def debian(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.freedesktop_os_release", lambda: {"ID": "debian"})


@pytest.fixture
def apt(stand_in: MakeStandIn) -> StandIn:
    return stand_in("apt-get", makes=False)


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({"ID": "debian"}, True),
        ({"ID": "ubuntu", "ID_LIKE": "debian"}, True),
        ({"ID": "linuxmint", "ID_LIKE": "ubuntu debian"}, True),
        ({"ID": "fedora"}, False),
        ({}, False),
    ],
)
def test_debian_and_what_is_like_it_is_known(
    monkeypatch: pytest.MonkeyPatch, told: dict[str, str], *, expected: bool
) -> None:
    monkeypatch.setattr("platform.freedesktop_os_release", lambda: told)
    assert install.is_debian() is expected


def test_a_system_that_does_not_say_what_it_is_is_not_debian(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent() -> dict[str, str]:
        raise FileNotFoundError

    monkeypatch.setattr("platform.freedesktop_os_release", absent)
    assert not install.is_debian()


@pytest.mark.usefixtures("debian")
def test_all_three_packages_are_installed_and_one_line_says_so(apt: StandIn) -> None:
    told: list[str] = []
    assert install.install(told.append)
    assert told == ["dockerd, ip, mmdebstrap missing: installing docker.io, iproute2, mmdebstrap with apt-get"]
    update, installed = apt.calls
    lock = ["-o", "DPkg::Lock::Timeout=300"]
    assert (update[:2], update[-2:]) == (lock, ["update", "-q"])
    assert installed[:2] == lock
    assert installed[4:] == ["install", "-q", "-y", "--no-install-recommends", "docker.io", "iproute2", "mmdebstrap"]


@pytest.mark.usefixtures("debian")
def test_apt_asks_nothing(apt: StandIn) -> None:
    install.install(lambda _text: None)
    assert {call["DEBIAN_FRONTEND"] for call in apt.environments} == {"noninteractive"}


@pytest.mark.usefixtures("debian")
def test_only_what_is_missing_is_installed(apt: StandIn, stand_in: MakeStandIn) -> None:
    stand_in("dockerd")
    stand_in("ip")
    assert not install.install(lambda _text: None)
    assert apt.calls[1][-1:] == ["mmdebstrap"]
    assert "docker.io" not in apt.calls[1]


@pytest.mark.usefixtures("debian")
def test_nothing_is_installed_when_all_is_there(apt: StandIn, stand_in: MakeStandIn) -> None:
    for name in ("dockerd", "ip", "mmdebstrap"):
        stand_in(name)
    assert not install.install(lambda _text: None)
    assert apt.calls == []


@pytest.mark.usefixtures("debian")
def test_a_failing_apt_is_shown(stand_in: MakeStandIn) -> None:
    stand_in("apt-get", makes=False, output="E: Could not resolve host\n", code=100)
    with pytest.raises(EngineError, match="apt-get update failed:\nE: Could not resolve host"):
        install.install(lambda _text: None)


@pytest.fixture
def fedora(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.freedesktop_os_release", lambda: {"ID": "fedora"})


@pytest.mark.usefixtures("fedora")
def test_on_another_system_nothing_is_installed(apt: StandIn) -> None:
    with pytest.raises(EngineError, match="dockerd and ip must be installed") as caught:
        install.install(lambda _text: None)
    assert "Docker or Podman" in caught.value.fix
    assert apt.calls == []


@pytest.mark.usefixtures("fedora")
def test_on_another_system_mmdebstrap_may_be_missing(apt: StandIn, stand_in: MakeStandIn) -> None:
    stand_in("dockerd")
    stand_in("ip")
    assert not install.install(lambda _text: None)
    assert apt.calls == []


def test_roots_programs_are_found_without_the_systems_folders_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/mine")
    monkeypatch.setattr(install, "_SYSTEM_FOLDERS", ("/usr/sbin",))
    assert install.environment()["PATH"] == "/mine:/usr/sbin"
