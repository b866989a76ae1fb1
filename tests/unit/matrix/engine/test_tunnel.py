import os
import time
from pathlib import Path

import pytest

from tests.unit.matrix.engine.fake_docker import FakeDocker
from tests.unit.stand_in import MakeStandIn
from tvm.error import EngineError
from tvm.matrix.engine.discover import Endpoint, connect
from tvm.matrix.engine.tunnel import TunnelError, arguments, fix, open_tunnel
from tvm.matrix.owner import owner_id

# Plays `ssh -L LOCAL:REMOTE ... cat`: joins its socket to the one that REMOTE names, until its input ends.
FORWARDS = """
import socket, threading
local, _, remote = args[args.index("-L") + 1].partition(":")
listener = socket.socket(socket.AF_UNIX)
listener.bind(local)
listener.listen()
def copy(source, sink):
    while data := source.recv(65536):
        sink.sendall(data)
    try:
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass
def serve():
    while True:
        near, _ = listener.accept()
        far = socket.socket(socket.AF_UNIX)
        try:
            far.connect(remote)
        except OSError:
            print("channel 2: open failed: connect failed: open failed", file=sys.stderr, flush=True)
            near.close()
            continue
        threading.Thread(target=copy, args=(near, far), daemon=True).start()
        threading.Thread(target=copy, args=(far, near), daemon=True).start()
threading.Thread(target=serve, daemon=True).start()
sys.stdin.read()
"""


def endpoint(address: str) -> Endpoint:
    return Endpoint(address=address, origin="DOCKER_HOST", named=True)


def ended(pid: int) -> bool:
    end = time.monotonic() + 10
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


def test_the_command_line_asks_nothing_and_names_both_sockets() -> None:
    argv = arguments("ssh://me@far:2222/run/podman/podman.sock", Path("/t/engine.sock"))
    assert argv[argv.index("-L") + 1] == "/t/engine.sock:/run/podman/podman.sock"
    assert argv[-7:] == ["-l", "me", "-p", "2222", "--", "far", "cat"]
    assert "BatchMode=yes" in argv


def test_without_a_path_the_other_machines_default_socket_is_meant() -> None:
    argv = arguments("ssh://far", Path("/t/s"))
    assert argv[argv.index("-L") + 1] == "/t/s:/var/run/docker.sock"
    assert argv[-3:] == ["--", "far", "cat"]


@pytest.mark.parametrize(
    "address",
    [
        "ssh://",
        "ssh:///run/docker.sock",
        "ssh://-oProxyCommand=x",
        "ssh://-l@far",
        "ssh://@far",
        "ssh://me:secret@far",
        "ssh://far:0",
        "ssh://far:99999",
        "ssh://far/a:b",
        "ssh://far/s?x=1",
        "ssh://far/s#x",
        "ssh://far/a\x07b",
    ],
)
def test_an_address_that_is_more_than_a_place_is_refused(address: str) -> None:
    with pytest.raises(TunnelError, match="is no address of an engine behind ssh"):
        arguments(address, Path("/t/s"))


def test_an_engine_behind_ssh_answers_through_it(stand_in: MakeStandIn, docker: FakeDocker) -> None:
    ssh = stand_in("ssh", body=FORWARDS, makes=False)
    connection = connect(endpoint(f"ssh://me@far{docker.address.removeprefix('unix://')}"))
    assert (connection.name, connection.version) == ("docker", "20.10.24")
    assert str(connection.endpoint).startswith("ssh://me@far/")
    assert connection.tunnel
    folder = connection.tunnel.socket.parent
    connection.close()
    assert not folder.exists()
    assert len(ssh.calls) == 1


def test_the_tunnel_ends_when_its_input_does(stand_in: MakeStandIn, docker: FakeDocker) -> None:
    """So it ends with a runner that is killed."""
    stand_in("ssh", body=FORWARDS, makes=False)
    tunnel = open_tunnel(f"ssh://far{docker.address.removeprefix('unix://')}")
    program = tunnel._program._child
    assert program.stdin
    program.stdin.close()
    assert program.wait(10) == 0
    tunnel.close()


def test_a_second_close_does_nothing(stand_in: MakeStandIn, docker: FakeDocker) -> None:
    stand_in("ssh", body=FORWARDS, makes=False)
    tunnel = open_tunnel(f"ssh://far{docker.address.removeprefix('unix://')}")
    pid = tunnel._program._child.pid
    tunnel.close()
    tunnel.close()
    assert ended(pid)
    assert not tunnel.alive


@pytest.mark.parametrize(
    "said",
    [
        "Host key verification failed.",
        "me@far: Permission denied (publickey).",
        "ssh: connect to host far port 22: Connection refused",
    ],
)
def test_what_ssh_says_is_the_error_and_nothing_is_left(
    stand_in: MakeStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    noise = "Warning: Permanently added 'far' to the list of known hosts."
    stand_in("ssh", body=f"print({said!r} + chr(10) + {noise!r}, file=sys.stderr)", code=255, makes=False)
    with pytest.raises(EngineError) as caught:
        connect(endpoint("ssh://me@far:2222"))
    assert caught.value.cause == (
        f"DOCKER_HOST names an engine at ssh://me@far:2222, but it does not answer: ssh says: {said}"
    )
    assert "`ssh -p 2222 me@far true` must work without a question" in caught.value.fix
    assert list(tmp_path.glob("tvm-ssh-*")) == []


def test_a_socket_that_is_not_there_on_the_other_machine_is_named(stand_in: MakeStandIn) -> None:
    stand_in("ssh", body=FORWARDS, makes=False)
    with pytest.raises(EngineError) as caught:
        connect(endpoint("ssh://far/nowhere/docker.sock"))
    assert "ssh gets there, but no engine answers at /nowhere/docker.sock" in caught.value.cause
    assert "open failed" in caught.value.cause


def test_what_a_killed_run_left_goes_and_what_a_live_one_uses_stays(
    stand_in: MakeStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    dead, live = tmp_path / "tvm-ssh-999999999-1-abc", tmp_path / f"tvm-ssh-{owner_id()}-abc"
    for folder in (dead, live):
        folder.mkdir()
        (folder / "engine.sock").touch()
    stand_in("ssh", code=255)
    with pytest.raises(TunnelError):
        open_tunnel("ssh://far")
    assert list(tmp_path.glob("tvm-ssh-*")) == [live]


def test_without_an_ssh_client_the_error_says_what_to_install() -> None:
    with pytest.raises(EngineError, match="ssh is not installed here") as caught:
        connect(endpoint("ssh://far"))
    assert caught.value.fix == "install openssh-client"


def test_an_ssh_that_neither_connects_nor_ends_is_given_up(
    stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tvm.matrix.engine.tunnel._LIMIT", 0.3)
    stand_in("ssh", body="sys.stdin.read()", makes=False)
    with pytest.raises(TunnelError, match="ssh says: nothing, and waits"):
        open_tunnel("ssh://far")


def test_the_fix_names_the_command_to_try() -> None:
    assert fix("ssh://far").startswith("`ssh far true` must work without a question")
