import io
import time
from pathlib import Path

import pytest
from rich.console import Console

from tests.unit.matrix.engine.fake_docker import FakeDocker
from tests.unit.matrix.fake_engine import FakeEngine
from tests.unit.matrix.projects import make_project
from tests.unit.matrix.test_reaper import ORPHAN, OURS
from tvm.error import EngineError
from tvm.matrix import prune as pruning
from tvm.matrix.engine import LABEL, old_venvs
from tvm.matrix.engine.client import Client
from tvm.matrix.engine.discover import Connection
from tvm.matrix.engine.docker import DockerEngine
from tvm.matrix.engine.old_venvs import Old
from tvm.matrix.model import Project
from tvm.matrix.prune import current, prune, show

MARK = {LABEL: "image"}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return make_project(tmp_path)


def _removed(client: Client, project: Project, *, everything: bool = False) -> list[str]:
    return [one.name for one in prune(client, project, everything=everything) if not one.why_not]


def test_images_of_old_recipes_go_and_those_in_use_stay(docker: FakeDocker, client: Client, project: Project) -> None:
    for name in current(project):
        docker.add_image(name, MARK)
    docker.add_image("tvm-matrix/host:0000000000000000", MARK)
    assert _removed(client, project) == ["tvm-matrix/host:0000000000000000"]


def test_what_stands_on_others_goes_first(docker: FakeDocker, client: Client, project: Project) -> None:
    for name in ("tvm-matrix/debian-trixie:pulled-1", "tvm-matrix/base-trixie:1", "tvm-matrix/host:1"):
        docker.add_image(name, MARK)
    assert _removed(client, project) == [
        "tvm-matrix/host:1",
        "tvm-matrix/base-trixie:1",
        "tvm-matrix/debian-trixie:pulled-1",
    ]


def test_another_projects_images_stay(docker: FakeDocker, client: Client, project: Project) -> None:
    docker.add_image("tvm-matrix/rocm:1", MARK)
    assert _removed(client, project) == []


def test_everything_is_every_image_of_ours(docker: FakeDocker, client: Client, project: Project) -> None:
    docker.add_image("tvm-matrix/rocm:1", MARK)
    for name in current(project):
        docker.add_image(name, MARK)
    assert set(_removed(client, project, everything=True)) == {*current(project), "tvm-matrix/rocm:1"}


@pytest.mark.parametrize("everything", [False, True])
def test_nothing_without_our_label_is_touched(
    docker: FakeDocker, client: Client, project: Project, *, everything: bool
) -> None:
    docker.add_image("debian:trixie")
    docker.add_image("tvm-matrix/host:1")
    assert _removed(client, project, everything=everything) == []
    assert docker.asked("DELETE", "/images/.*") == []


def test_a_users_image_on_top_of_ours_stays(docker: FakeDocker, client: Client, project: Project) -> None:
    """It has inherited our label, but has a name of its own."""
    docker.add_image("mine/tool:1", MARK)
    assert _removed(client, project, everything=True) == []


def test_what_old_builds_left_goes_and_a_running_builds_layer_stays(
    docker: FakeDocker, client: Client, project: Project
) -> None:
    old = docker.add_image("old", MARK)
    docker.add_image("young", MARK, Created=int(time.time()))
    assert _removed(client, project) == [old]


def test_an_image_in_use_is_kept_and_told(docker: FakeDocker, client: Client, project: Project) -> None:
    docker.add_image("tvm-matrix/host:1", MARK)
    docker.refuse("DELETE", "/images/.*", 409, "conflict: unable to remove, container is using it")
    (kept,) = prune(client, project)
    assert (kept.name, kept.why_not) == ("tvm-matrix/host:1", "in use")


def test_an_image_that_cannot_be_removed_is_an_error(docker: FakeDocker, client: Client, project: Project) -> None:
    docker.add_image("tvm-matrix/host:1", MARK)
    docker.refuse("DELETE", "/images/.*", 500, "disk error")
    with pytest.raises(EngineError, match="disk error"):
        prune(client, project)


def test_orphaned_boxes_go_and_kept_ones_with_them(docker: FakeDocker, client: Client, project: Project) -> None:
    for name, marks in (("orphan", ORPHAN), ("tvm-matrix-kept-1", ORPHAN), ("live", OURS)):
        docker.containers[name] = {"Id": name, "Names": [f"/{name}"], "Labels": marks, "Created": 0, "State": "running"}
    assert _removed(client, project) == ["orphan", "tvm-matrix-kept-1"]


def test_what_a_dead_engine_left_of_a_build_goes_once_it_is_old(
    docker: FakeDocker, client: Client, project: Project
) -> None:
    for name, created, state in (("old", 0, "exited"), ("young", int(time.time()), "exited"), ("busy", 0, "running")):
        docker.containers[name] = {
            "Id": name,
            "Names": [f"/{name}"],
            "Labels": MARK,
            "Created": created,
            "State": state,
        }
    assert _removed(client, project) == ["old"]


def _shown(connection: Connection, project: Project) -> str:
    sink = io.StringIO()
    assert show(project, [DockerEngine(connection)], Console(file=sink, width=200), everything=False) == 0
    return sink.getvalue()


def test_what_went_is_shown_with_what_it_gave_back(
    docker: FakeDocker, connection: Connection, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    docker.add_image("tvm-matrix/host:1", MARK, Size=5_000_000)
    used = iter([9_000_000, 6_000_000])
    monkeypatch.setattr(pruning, "_used", lambda _client: next(used))
    assert _shown(connection, project) == "removed tvm-matrix/host:1 (5.0 MB)\n1 removed, 3.0 MB freed\n"


def test_nothing_to_remove_is_said(connection: Connection, project: Project) -> None:
    assert _shown(connection, project) == "nothing of ours is old\n"


def test_without_a_container_engine_old_venvs_go(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [Old(folder=Path("a"), size=2_000_000, used=False), Old(folder=Path("b"), size=1_000_000, used=True)]
    monkeypatch.setattr(old_venvs, "prune", lambda _project, *, everything: found if everything else [])
    sink = io.StringIO()
    for everything in (False, True):
        assert show(project, [FakeEngine(folder=tmp_path)], Console(file=sink, width=200), everything=everything) == 0
    assert sink.getvalue().splitlines() == [
        "nothing of ours is old",
        "removed a (2.0 MB)",
        "kept b: in use (1.0 MB)",
        "1 removed, 2.0 MB freed",
    ]


def test_each_of_several_engines_is_cleaned_and_named(connection: Connection, project: Project) -> None:
    sink = io.StringIO()
    engine = DockerEngine(connection)
    assert show(project, [engine, engine], Console(file=sink, width=200), everything=False) == 0
    assert sink.getvalue() == f"{engine.describe()}\n" * 2 + "nothing of ours is old\n"
