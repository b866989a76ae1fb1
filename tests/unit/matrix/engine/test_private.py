import errno
import os
import threading
from pathlib import Path

import pytest

from tests.unit.matrix.engine.fake_docker import FakeDocker
from tests.unit.matrix.engine.world import World, make_world
from tests.unit.stand_in import MakeStandIn, StandIn
from tvm.error import EngineError, StorageError
from tvm.matrix.engine import daemon, install, private, unable
from tvm.matrix.engine.layout import Layout
from tvm.matrix.engine.private import ensure, status, stop
from tvm.matrix.owner import start_time
from tvm.support import process


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(private, "_QUIET", 0.1)


@pytest.fixture
def told() -> list[str]:
    return []


def test_an_engine_that_answers_is_described_and_nothing_is_started(
    docker: FakeDocker, world: World, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", docker.address)
    ensure(told.append, world.layout)
    assert told == [f"docker 20.10.24 at {docker.address} (DOCKER_HOST), storage driver overlay2"]
    assert world.dockerd.calls == []


def test_a_named_engine_that_does_not_answer_is_an_error_and_none_is_started(
    world: World, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    with pytest.raises(EngineError, match="DOCKER_HOST names an engine"):
        ensure(told.append, world.layout)
    assert world.dockerd.calls == []


def test_where_none_answers_root_gets_a_private_one(world: World, told: list[str]) -> None:
    ensure(told.append, world.layout)
    assert told[0] == "starting a private engine"
    assert told[-1].startswith(f"docker 20.10.24 at {world.layout.address} (our private engine)")


def test_it_stays_warm(world: World, told: list[str]) -> None:
    ensure(told.append, world.layout)
    ensure(told.append, world.layout)
    assert len(world.dockerd.calls) == 1


def test_two_at_once_start_one(world: World, told: list[str]) -> None:
    threads = [threading.Thread(target=ensure, args=(told.append, world.layout)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(world.dockerd.calls) == 1
    assert sum(line.startswith("docker 20.10.24") for line in told) == 2


def test_without_root_the_error_says_what_to_do(world: World, told: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(EngineError, match="no container engine answers") as caught:
        ensure(told.append, world.layout)
    assert "as root" in caught.value.fix
    assert world.dockerd.calls == []


@pytest.mark.parametrize("name", ["home", "run", "log"])
def test_a_place_that_cannot_be_written_is_named_with_what_to_do(
    world: World, told: list[str], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    path: Path = getattr(world.layout, name)
    made = Path.mkdir

    def refuse(folder: Path, mode: int = 0o777, *, parents: bool = False, exist_ok: bool = False) -> None:
        if folder == path:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(folder))
        made(folder, mode, parents=parents, exist_ok=exist_ok)

    def spawn(_argv: list[str], *, log: Path, **_: object) -> int:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(log))

    monkeypatch.setattr(Path, "mkdir", refuse)
    if name == "log":
        monkeypatch.setattr(process, "spawn_daemon", spawn)
    with pytest.raises(StorageError, match=f"^{path}: cannot be written: Read-only file system") as caught:
        ensure(told.append, world.layout)
    assert "read-only" in caught.value.fix


def test_beside_another_dockerd_none_is_started(world: World, told: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daemon, "running", lambda: [77])
    with pytest.raises(EngineError, match=r"dockerd runs already \(pid 77\), but does not answer"):
        ensure(told.append, world.layout)
    assert world.dockerd.calls == []


def test_the_driver_vfs_is_warned_of_with_its_fix(
    short_folder: Path, stand_in: MakeStandIn, world: World, told: list[str]
) -> None:
    (short_folder / "slow").mkdir()
    slow = make_world(short_folder / "slow", stand_in, driver="vfs")
    ensure(told.append, slow.layout)
    stop(lambda _text: None, slow.layout)
    assert "storage driver vfs copies every layer whole" in told[-1]
    assert "fix: put the engine's data root on ext4 or xfs" in told[-1]
    assert world.layout != slow.layout


def _debian(monkeypatch: pytest.MonkeyPatch, stand_in: MakeStandIn, world: World, brings: str = "") -> StandIn:
    """Let dockerd be missing until apt-get has installed it; `brings` is more that the installation does."""
    monkeypatch.setattr("platform.freedesktop_os_release", lambda: {"ID": "debian"})
    program = Path(world.dockerd.path)
    hidden = program.with_name("not-installed")
    program.rename(hidden)
    body = f"'install' in args and os.rename({str(hidden)!r}, {str(program)!r})\n{brings}"
    return stand_in("apt-get", makes=False, body=body)


def test_on_debian_a_missing_dockerd_is_installed_and_started(
    world: World, told: list[str], stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    apt = _debian(monkeypatch, stand_in, world)
    ensure(told.append, world.layout)
    assert told[0] == "dockerd missing: installing docker.io with apt-get"
    assert len(apt.calls) == 2
    assert len(world.dockerd.calls) == 1


def test_the_engine_that_the_package_starts_is_taken(
    world: World, told: list[str], stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch, docker: FakeDocker
) -> None:
    default = world.layout.home / "default.sock"
    monkeypatch.setattr("tvm.matrix.engine.discover._DEFAULT_SOCKET", default)
    socket = docker.address.removeprefix("unix://")
    _debian(monkeypatch, stand_in, world, f"'install' in args and os.symlink({socket!r}, {str(default)!r})")
    ensure(told.append, world.layout)
    assert world.dockerd.calls == []
    assert "the default socket" in told[-1]


def test_on_another_system_the_error_says_what_to_install(
    world: World, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.freedesktop_os_release", lambda: {"ID": "fedora"})
    Path(world.dockerd.path).unlink()
    with pytest.raises(EngineError, match="dockerd must be installed"):
        ensure(told.append, world.layout)


def test_status_tells_of_ours_and_of_the_one_that_answers(world: World, told: list[str]) -> None:
    ensure(lambda _text: None, world.layout)
    status(told.append, world.layout)
    state = daemon.read_state(world.layout)
    assert state is not None
    assert told[0] == f"private engine: pid {state.pid} runs, log {world.layout.log}"
    assert told[1].startswith("docker 20.10.24")


def test_status_without_an_engine_is_an_error(world: World, told: list[str]) -> None:
    with pytest.raises(EngineError, match="no container engine answers"):
        status(told.append, world.layout)
    assert told == ["private engine: not started by `nox -s engine`"]


def test_stop_ends_ours_and_leaves_its_images(world: World, told: list[str]) -> None:
    ensure(lambda _text: None, world.layout)
    state = daemon.read_state(world.layout)
    stop(told.append, world.layout)
    assert state is not None
    assert not state.alive
    assert not world.layout.run.exists()
    assert world.layout.data.is_dir()
    assert told == [f"stopped our private engine (pid {state.pid}); its images stay in {world.layout.data}"]


def test_stop_removes_our_boxes_first(
    docker: FakeDocker, world: World, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    docker.containers["box"] = {"Id": "box", "Names": ["/box"], "Labels": {"org.tvm-matrix.run": "r"}}
    docker.containers["other"] = {"Id": "other", "Names": ["/other"], "Labels": {}}
    layout = Layout(run=Path(docker.address.removeprefix("unix://")).parent, home=world.layout.home)
    ended: list[list[str]] = []
    monkeypatch.setattr(daemon, "end", lambda _state: ended.append(list(docker.containers)))
    monkeypatch.setattr(daemon, "clean", lambda _layout: None)
    layout.state.write_text(f'{{"pid": {os.getpid()}, "start": {start_time(os.getpid())}}}')
    stop(told.append, layout)
    assert ended == [["other"]]


def test_stop_without_one_of_ours_does_nothing(world: World, told: list[str]) -> None:
    stop(told.append, world.layout)
    assert told == ["no engine of ours was started here: nothing to stop"]


def test_stop_after_a_crash_cleans_up(world: World, told: list[str]) -> None:
    ensure(lambda _text: None, world.layout)
    state = daemon.read_state(world.layout)
    assert state is not None
    daemon.end(state)
    stop(told.append, world.layout)
    assert not world.layout.run.exists()


def test_what_a_crashed_one_left_is_no_obstacle(world: World, told: list[str]) -> None:
    ensure(lambda _text: None, world.layout)
    state = daemon.read_state(world.layout)
    assert state is not None
    daemon.end(state)
    ensure(told.append, world.layout)
    assert told[0] == "starting a private engine"


def test_mmdebstrap_alone_is_installed_where_it_is_missing(
    world: World, told: list[str], stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.freedesktop_os_release", lambda: {"ID": "debian"})
    (Path(world.dockerd.path).parent / "mmdebstrap").unlink()
    apt = stand_in("apt-get", makes=False)
    ensure(told.append, world.layout)
    assert apt.calls[1][-1] == "mmdebstrap"
    assert install.missing() == ["mmdebstrap"]


@pytest.fixture
def dying(short_folder: Path, stand_in: MakeStandIn, as_root: None, no_sockets: None) -> World:  # noqa: ARG001 - both prepare
    """Return a machine whose dockerd ends by itself, as in a sandbox."""
    body = "print('starting'); print('failed to mount overlay: operation not permitted'); sys.exit(1)"
    return make_world(short_folder, stand_in, dockerd=body)


def test_a_dockerd_that_dies_is_an_error_of_4_and_the_reason_is_written_down(dying: World, told: list[str]) -> None:
    with pytest.raises(EngineError, match="ended by itself") as caught:
        ensure(told.append, dying.layout)
    assert caught.value.exit_code == 4
    assert "--engine local" in caught.value.fix
    assert unable.read(dying.layout) == "failed to mount overlay: operation not permitted"


def test_a_bridge_that_is_refused_is_written_down_too(world: World, told: list[str], stand_in: MakeStandIn) -> None:
    stand_in("ip", output="RTNETLINK answers: Operation not permitted\n", code=2)
    with pytest.raises(EngineError, match="ip link add"):
        ensure(told.append, world.layout)
    assert "RTNETLINK answers: Operation not permitted" in unable.read(world.layout)


def test_one_that_hangs_is_no_reason_to_do_without(
    short_folder: Path,
    stand_in: MakeStandIn,
    as_root: None,  # noqa: ARG001 - prepares
    no_sockets: None,  # noqa: ARG001 - prepares
    told: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(daemon, "_START_LIMIT", 0.3)
    hanging = make_world(short_folder, stand_in, dockerd="import time; time.sleep(60)")
    with pytest.raises(EngineError, match="does not answer"):
        ensure(told.append, hanging.layout)
    assert unable.read(hanging.layout) == ""


def test_status_tells_why_dockerd_could_not_run(dying: World, told: list[str]) -> None:
    unable.record(dying.layout, "no overlay")
    with pytest.raises(EngineError):
        status(told.append, dying.layout)
    assert told[1] == "dockerd could not run here when it was last started: no overlay"


def test_once_an_engine_answers_the_reason_is_forgotten(world: World, told: list[str]) -> None:
    unable.record(world.layout, "no overlay")
    ensure(told.append, world.layout)
    assert unable.read(world.layout) == ""
