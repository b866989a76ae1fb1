from tests.unit.matrix.engine.fake_docker import FakeDocker
from tvm.matrix import reaper
from tvm.matrix.engine import LABEL_BOOT, LABEL_HOST, LABEL_OWNER, LABEL_RUN, labels
from tvm.matrix.engine.client import Client

OURS = labels.owner_labels("run1", "ndk")
ORPHAN = {**OURS, LABEL_OWNER: "1-999999999"}


def _box(docker: FakeDocker, name: str, marks: dict[str, str]) -> None:
    docker.containers[name] = {"Id": name, "Names": [f"/{name}"], "Labels": marks}


def test_only_boxes_whose_runner_is_gone_are_removed(docker: FakeDocker, client: Client) -> None:
    _box(docker, "live", OURS)
    _box(docker, "orphan", ORPHAN)
    _box(docker, "earlier-boot", {**OURS, LABEL_BOOT: "earlier"})
    _box(docker, "other-machine", {**ORPHAN, LABEL_HOST: "other.1"})
    _box(docker, "not-ours", {})
    assert reaper.reap(client) == ["earlier-boot", "orphan"]
    assert sorted(docker.containers) == ["live", "not-ours", "other-machine"]


def test_kept_boxes_are_not_reaped(docker: FakeDocker, client: Client) -> None:
    _box(docker, "tvm-matrix-kept-ndk-1", ORPHAN)
    assert reaper.reap(client) == []


def test_a_sweep_removes_every_box_of_the_run_and_no_other(docker: FakeDocker, client: Client) -> None:
    _box(docker, "b", OURS)
    _box(docker, "a", OURS)
    _box(docker, "other", {**OURS, LABEL_RUN: "run2"})
    assert reaper.sweep(client, "run1") == ["a", "b"]
    assert list(docker.containers) == ["other"]


def test_a_sweep_spares_what_was_kept(docker: FakeDocker, client: Client) -> None:
    _box(docker, "tvm-matrix-kept-ndk-1", OURS)
    assert reaper.sweep(client, "run1") == []


def test_a_box_that_goes_meanwhile_is_no_error(docker: FakeDocker, client: Client) -> None:
    _box(docker, "orphan", ORPHAN)
    docker.refuse("DELETE", "/containers/orphan", 404, "No such container: orphan")
    assert reaper.reap(client) == ["orphan"]
