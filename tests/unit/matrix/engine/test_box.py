import io
import tarfile
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.unit.matrix.engine.fake_docker import Answer, FakeDocker, Ran, as_json, one_file, refusal
from tvm.error import BoxGoneError, CellFailedError, EngineError, TVMError
from tvm.matrix.engine import LABEL_CELL, LABEL_RUN, BoxOptions, PreparedImage
from tvm.matrix.engine import box as boxes
from tvm.matrix.engine.box import DockerBox, start
from tvm.matrix.engine.client import Client
from tvm.matrix.engine.printed import HEAD, TAIL

IMAGE = PreparedImage(
    name="ndk", tag="0" * 16, image_id="sha256:1", inventory={}, inventory_sha256="", base_route="pulled"
)


def options(**changes: Any) -> BoxOptions:
    return replace(BoxOptions(cell="ndk", run_id="run1", limit=90.5), **changes)


def opened(docker: FakeDocker, client: Client, **changes: Any) -> DockerBox:
    chosen = options(**changes)
    start(client, "box1", IMAGE, chosen)
    docker.requests.clear()
    return DockerBox(client, "box1", chosen)


def created(docker: FakeDocker, client: Client, **changes: Any) -> dict[str, Any]:
    start(client, "box1", IMAGE, options(**changes))
    config: dict[str, Any] = docker.containers["box1"]["config"]
    return config


def test_a_box_is_started_without_rights_and_without_a_network(docker: FakeDocker, client: Client) -> None:
    config = created(docker, client)
    host = config["HostConfig"]
    assert host["NetworkMode"] == "none"
    assert host["CapDrop"] == ["ALL"]
    assert host["SecurityOpt"] == ["no-new-privileges"]
    assert host["PidsLimit"] > 0
    assert host["Init"] is True
    assert docker.asked("POST", "/containers/box1/start")


def test_a_box_ends_by_itself_and_is_then_removed_by_the_engine(docker: FakeDocker, client: Client) -> None:
    config = created(docker, client)
    host = config["HostConfig"]
    assert config["Cmd"] == ["timeout", "-k", "5", "91", "sleep", "infinity"]
    assert host["AutoRemove"] is True


def test_the_source_folder_is_in_memory_and_the_users(docker: FakeDocker, client: Client) -> None:
    config = created(docker, client, source="/other/tree", user=1234)
    host = config["HostConfig"]
    assert host["Tmpfs"] == {"/other/tree": "rw,exec,nosuid,nodev,size=4g,uid=1234,gid=1234,mode=0755"}
    assert (config["User"], config["WorkingDir"]) == ("1234:1234", "/other/tree")


def test_a_box_carries_its_owner(docker: FakeDocker, client: Client) -> None:
    created(docker, client)
    marks = docker.containers["box1"]["Labels"]
    assert (marks[LABEL_RUN], marks[LABEL_CELL]) == ("run1", "ndk")


def test_environment_and_hostname_are_as_asked(docker: FakeDocker, client: Client) -> None:
    config = created(docker, client, env={"TZ": "UTC"}, hostname="other")
    assert (config["Env"], config["Hostname"]) == (["TZ=UTC"], "other")


def test_with_a_network_a_box_uses_the_hosts(docker: FakeDocker, client: Client) -> None:
    host = created(docker, client, network=True)["HostConfig"]
    assert host["NetworkMode"] == "host"


def test_with_gpu_all_devices_are_asked_for(docker: FakeDocker, client: Client) -> None:
    host = created(docker, client, gpu=True)["HostConfig"]
    assert host["DeviceRequests"][0]["Capabilities"] == [["gpu"]]


def test_put_sends_the_tree_as_one_file_and_unpacks_it(docker: FakeDocker, client: Client) -> None:
    box = opened(docker, client, user=1234)
    box.put([b"tree ", b"bytes"])
    ((folder, sent),) = docker.received
    with tarfile.open(fileobj=io.BytesIO(sent)) as listing:
        (member,) = listing.getmembers()
        content = listing.extractfile(member)
        assert content is not None
        assert content.read() == b"tree bytes"
    assert member.uid == 1234
    (unpacked,) = docker.asked("POST", "/containers/box1/exec")
    assert unpacked.json["Cmd"][-3:] == [f"{folder}/{member.name}", "/src", "/out"]


def test_a_tree_that_does_not_fit_is_an_error_with_tars_words(docker: FakeDocker, client: Client) -> None:
    box = opened(docker, client)
    docker.program = lambda _argv: Ran(output=(b"tar: No space left on device\n",), code=2)
    with pytest.raises(EngineError, match="No space left on device"):
        box.put([b"x"])


def test_a_program_runs_under_a_limit_and_the_umask(docker: FakeDocker, client: Client) -> None:
    box = opened(docker, client, umask=0o027)
    box.run(["gcc", "-c", "a b.c"], timeout=2.5, env={"A": "1"})
    asked = docker.asked("POST", "/containers/box1/exec")[0].json
    assert asked["Cmd"] == ["timeout", "-k", "5", "2.500", "sh", "-c", boxes._WITH_UMASK, "0027", "gcc", "-c", "a b.c"]
    assert (asked["Env"], asked["WorkingDir"]) == (["A=1"], "/src")


def test_output_comes_in_order_and_as_it_comes(docker: FakeDocker, client: Client) -> None:
    box = opened(docker, client)
    docker.program = lambda _argv: Ran(output=(b"out\n", b"err\xff\n"), code=3)
    seen: list[bytes] = []
    done = box.run(["x", "y"], timeout=5, output=seen.append)
    assert (done.argv, done.code, done.raw, done.output) == (("x", "y"), 3, b"out\nerr\xff\n", "out\nerr\ufffd\n")
    assert b"".join(seen) == done.raw


def test_long_output_is_whole(docker: FakeDocker, client: Client) -> None:
    box = opened(docker, client)
    docker.program = lambda _argv: Ran(output=(b"x" * 300_000, b"y" * 300_000))
    assert box.run(["x"], timeout=5).raw == b"x" * 300_000 + b"y" * 300_000


def test_a_program_that_had_to_be_killed_after_its_limit_overran(docker: FakeDocker, client: Client) -> None:
    box = opened(docker, client)
    docker.program = lambda _argv: Ran(code=137)
    assert box.run(["x"], timeout=0.0).code == 124


def test_a_program_that_was_killed_within_its_limit_keeps_its_code(docker: FakeDocker, client: Client) -> None:
    box = opened(docker, client)
    docker.program = lambda _argv: Ran(code=137)
    assert box.run(["x"], timeout=60).code == 137


def test_an_engine_that_goes_within_a_piece_is_told(docker: FakeDocker, client: Client) -> None:
    box = opened(docker, client)
    docker.program = lambda _argv: Ran(output=(b"half",), lost=True)
    with pytest.raises(EngineError, match="went away"):
        box.run(["x"], timeout=5)


def test_an_engine_that_goes_before_the_exit_code_is_told(docker: FakeDocker, client: Client) -> None:
    box = opened(docker, client)
    docker.cut("GET", "/exec/.*/json")
    with pytest.raises(EngineError, match="went away while it was to run x"):
        box.run(["x"], timeout=5)


def test_an_engine_that_lets_go_of_a_running_program_is_told(docker: FakeDocker, client: Client) -> None:
    box = opened(docker, client)
    docker.on("GET", "/exec/.*/json", lambda _request, _match: as_running())
    with pytest.raises(EngineError, match="let go of x"):
        box.run(["x"], timeout=5)


def as_running() -> Answer:
    return as_json({"Running": True, "ExitCode": None})


def test_an_engine_that_hangs_is_given_up(docker: FakeDocker, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    box = opened(docker, client)
    monkeypatch.setattr(boxes, "_PATIENCE", -4.9)
    docker.program = lambda _argv: Ran(output=(b"late",), wait=3)
    with pytest.raises(EngineError, match="did not end x after its limit"):
        box.run(["x"], timeout=0.1)


@pytest.mark.parametrize(
    "use",
    [
        lambda box: box.run(["x"], timeout=5),
        lambda box: box.get("/out", io.BytesIO()),
        lambda box: box.close(keep=True),
    ],
    ids=["run", "get", "keep"],
)
def test_a_box_that_is_gone_says_so(docker: FakeDocker, client: Client, use: Callable[[DockerBox], object]) -> None:
    box = opened(docker, client)
    docker.containers.clear()
    with pytest.raises(BoxGoneError, match="the box box1 is gone"):
        use(box)


def test_a_box_that_goes_while_a_program_runs_is_no_fault_of_the_engine(docker: FakeDocker, client: Client) -> None:
    box = opened(docker, client)
    docker.on("GET", "/exec/.*/json", lambda _request, _match: refusal(404, "No such exec instance"))
    with pytest.raises(BoxGoneError):
        box.run(["x"], timeout=5)


def test_output_without_end_is_kept_in_bounds(docker: FakeDocker, client: Client) -> None:
    piece = b"x" * (1 << 20)
    docker.program = lambda _argv: Ran(output=(b"first\n", *[piece] * 20, b"last\n"))
    seen = list[int]()
    done = opened(docker, client).run(["x"], timeout=30, output=lambda text: seen.append(len(text)))
    assert sum(seen) == 20 * len(piece) + 11
    assert len(done.raw) < HEAD + TAIL + 100
    assert done.output.startswith("first\n")
    assert done.output.endswith("last\n")


def test_get_writes_the_engines_tar(docker: FakeDocker, client: Client) -> None:
    box = opened(docker, client)
    docker.archives["/out"] = one_file("out/a", b"1")
    sink = io.BytesIO()
    box.get("/out", sink)
    assert sink.getvalue() == docker.archives["/out"]


def test_get_of_a_missing_path_is_an_error(docker: FakeDocker, client: Client) -> None:
    with pytest.raises(CellFailedError, match="has no /nothing"):
        opened(docker, client).get("/nothing", io.BytesIO())


@pytest.mark.parametrize(("running", "error"), [(False, BoxGoneError), (True, EngineError)])
def test_what_an_engine_says_while_it_takes_a_box_apart_is_no_fault_of_the_engine(
    running: bool,  # noqa: FBT001 - a parameter of the table
    error: type[TVMError],
    docker: FakeDocker,
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A box that runs is given time to end.
    monkeypatch.setattr(boxes, "_ENDING", 0.2)
    box = opened(docker, client)
    docker.containers[box.name]["State"] = {"Running": running}
    docker.refuse("GET", "/containers/.+/archive", 500, "remount /etc/resolv.conf: invalid argument")
    with pytest.raises(error) as caught:
        box.get("/out", io.BytesIO())
    assert type(caught.value) is error


def test_close_removes_the_box_once(docker: FakeDocker, client: Client) -> None:
    box = opened(docker, client)
    box.close()
    box.close()
    assert docker.containers == {}
    assert len(docker.asked("DELETE", "/containers/box1")) == 1


def test_a_kept_box_stays_under_another_name(docker: FakeDocker, client: Client) -> None:
    box = DockerBox(client, "tvm-matrix-ndk-1", options())
    start(client, "tvm-matrix-ndk-1", IMAGE, options())
    box.close(keep=True)
    box.close()
    assert list(docker.containers) == ["tvm-matrix-kept-ndk-1"] == [box.name]
