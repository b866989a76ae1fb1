import json
import os
import stat
import time
from pathlib import Path

import pytest

from tests.unit.matrix.engine.world import DOCKERD, World, make_world
from tests.unit.stand_in import MakeStandIn
from tvm.error import EngineError
from tvm.matrix.engine import daemon
from tvm.matrix.engine.daemon import State, clean, end, read_state, running, start
from tvm.matrix.engine.layout import Layout
from tvm.matrix.owner import start_time

pytestmark = pytest.mark.usefixtures("as_root")


def _started(world: World) -> State:
    start(world.layout).client.close()
    state = read_state(world.layout)
    assert state is not None
    return state


def test_a_started_engine_answers_and_is_known_by_pid_and_start_time(world: World) -> None:
    state = _started(world)
    assert state.alive
    assert json.loads(world.layout.state.read_text()) == {"pid": state.pid, "start": start_time(state.pid)}


def test_dockerd_gets_the_layouts_options(world: World) -> None:
    _started(world)
    assert world.dockerd.calls == [world.layout.arguments()]


def test_dockerd_is_in_a_session_of_its_own(world: World) -> None:
    state = _started(world)
    assert os.getsid(state.pid) == state.pid


def test_dockerds_output_goes_to_the_log(world: World) -> None:
    _started(world)
    assert world.layout.log.read_text() == "dockerd is up\n"


def test_the_socket_is_roots_alone(world: World) -> None:
    _started(world)
    assert stat.S_IMODE(world.layout.socket.stat().st_mode) == 0o600
    assert stat.S_IMODE(world.layout.run.stat().st_mode) == 0o700


def test_the_configuration_is_an_empty_one_of_its_own(world: World) -> None:
    _started(world)
    assert json.loads(world.layout.config.read_text()) == {}


def test_the_bridge_is_made_by_ip(world: World) -> None:
    _started(world)
    assert [call for call in world.ip.calls if call[1] != "show"] == [
        ["link", "add", "name", "tvm0", "type", "bridge"],
        ["addr", "add", "10.213.77.1/24", "dev", "tvm0"],
        ["link", "set", "dev", "tvm0", "up"],
    ]


def test_an_engine_that_dies_at_once_is_an_error_with_the_end_of_its_log(
    short_folder: Path, stand_in: MakeStandIn
) -> None:
    world = make_world(short_folder, stand_in, dockerd="print('failed to mount overlay'); sys.exit(1)")
    with pytest.raises(EngineError, match=r"does not answer; the end of .*:\nfailed to mount overlay"):
        start(world.layout)
    assert not world.layout.run.exists()


def test_an_engine_that_never_answers_is_ended(
    short_folder: Path, stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daemon, "_START_LIMIT", 0.3)
    world = make_world(
        short_folder,
        stand_in,
        dockerd="import time; open('PID', 'w').write(str(os.getpid())); time.sleep(60)".replace(
            "PID", str(short_folder / "pid")
        ),
    )
    with pytest.raises(EngineError, match="does not answer"):
        start(world.layout)
    assert start_time(int((short_folder / "pid").read_text())) is None


def test_a_bridge_that_cannot_be_made_is_an_error(short_folder: Path, stand_in: MakeStandIn) -> None:
    world = make_world(short_folder, stand_in)
    stand_in("ip", output="RTNETLINK answers: Operation not permitted\n", code=2)
    with pytest.raises(EngineError, match=r"needs `ip link add .*Operation not permitted"):
        start(world.layout)
    assert world.dockerd.calls == []


def test_end_ends_it(world: World) -> None:
    state = _started(world)
    end(state)
    assert not state.alive


def test_one_that_ignores_the_polite_end_is_killed(
    short_folder: Path, stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daemon, "_STOP_LIMIT", 0.2)
    body = DOCKERD.replace("lambda *_: sys.exit(0)", "signal.SIG_IGN")
    world = make_world(short_folder, stand_in, dockerd=body)
    state = _started(world)
    end(state)
    deadline = time.monotonic() + 5
    while state.alive and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not state.alive


def test_another_process_with_the_same_pid_is_not_ended() -> None:
    end(State(pid=os.getpid(), start=1))
    assert start_time(os.getpid()) is not None


def test_clean_removes_the_run_folder_and_the_bridge_and_keeps_the_images(world: World) -> None:
    end(_started(world))
    clean(world.layout)
    assert not world.layout.run.exists()
    assert world.layout.data.is_dir()
    assert world.ip.calls[-1] == ["link", "delete", "dev", "tvm0"]


def test_clean_of_nothing_does_nothing(world: World) -> None:
    clean(world.layout)
    assert world.ip.calls == [["link", "show", "dev", "tvm0"]]


def _mountinfo(folder: Path, *points: str) -> None:
    lines = [f"36 35 98:0 / {point} rw,noatime master:1 - ext3 /dev/root rw\n" for point in points]
    (folder / "self").mkdir(parents=True, exist_ok=True)
    (folder / "self" / "mountinfo").write_text("".join(lines))


def test_mounts_below_the_run_folder_are_unmounted_deepest_first(
    world: World, stand_in: MakeStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = world.layout.run
    (run / "exec" / "netns" / "default").mkdir(parents=True)
    proc = tmp_path / "proc"
    _mountinfo(proc, f"{run}/exec", f"{run}/exec/netns/default", f"{run}-other", "/")
    monkeypatch.setattr(daemon, "_PROC", proc)
    umount = stand_in("umount", body=f"open({str(proc / 'self' / 'mountinfo')!r}, 'w').close()")
    clean(world.layout)
    assert umount.calls == [[f"{run}/exec/netns/default"], [f"{run}/exec"]]
    assert not run.exists()


def test_a_run_folder_with_a_mount_that_stays_is_not_removed(
    world: World, stand_in: MakeStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To remove what is mounted there would remove what belongs to others."""
    precious = world.layout.run / "exec" / "precious"
    precious.mkdir(parents=True)
    _mountinfo(tmp_path, f"{world.layout.run}/exec")
    monkeypatch.setattr(daemon, "_PROC", tmp_path)
    stand_in("umount")
    with pytest.raises(EngineError, match="is still mounted"):
        clean(world.layout)
    assert precious.is_dir()


def test_without_a_state_file_nothing_was_started(tmp_path: Path) -> None:
    assert read_state(Layout(run=tmp_path)) is None


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"pid": "x", "start": 1}'])
def test_a_damaged_state_file_is_an_error(tmp_path: Path, text: str) -> None:
    layout = Layout(run=tmp_path)
    layout.state.write_text(text)
    with pytest.raises(EngineError, match="is damaged"):
        read_state(layout)


def test_a_state_file_of_roots_is_an_error_for_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_path: Path, **_options: str) -> str:
        raise PermissionError

    monkeypatch.setattr(Path, "read_text", refused)
    with pytest.raises(EngineError, match="cannot be read by this user"):
        read_state(Layout(run=tmp_path))


def test_every_dockerd_of_the_machine_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for pid, name in (("12", "dockerd"), ("7", "dockerd"), ("9", "bash"), ("self", "dockerd")):
        (tmp_path / pid).mkdir()
        (tmp_path / pid / "comm").write_text(f"{name}\n")
    (tmp_path / "11").mkdir()
    monkeypatch.setattr(daemon, "_PROC", tmp_path)
    monkeypatch.setattr(daemon, "start_time", lambda _pid: 1)
    assert running() == [7, 12]
