import tempfile
from pathlib import Path

import pytest

from tests.unit.matrix.engine.local_world import Machine, make_machine
from tests.unit.matrix.projects import TEXT
from tests.unit.stand_in import MakeStandIn
from tvm.error import EngineError, StorageError, VendorError
from tvm.matrix import tools
from tvm.matrix.engine import BoxOptions, PreparedImage, context, labels, vendor
from tvm.matrix.engine.local import SENTENCE, LocalEngine, probe
from tvm.matrix.engine.local_box import LocalBox
from tvm.matrix.owner import owner_id

ENVIRONMENT = {"HOME": "/home/tvm", "TMPDIR": "/tmp"}


@pytest.fixture(autouse=True)
def _temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(context, "_CA_FILES", ())


@pytest.fixture
def machine(tmp_path: Path, stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Return a machine with an old gcc; the wheels bring a new one."""
    stand_in("gcc", output="gcc (Debian 12.2.0-14) 12.2.0\n")
    return make_machine(tmp_path, stand_in, monkeypatch)


def quiet(_text: str) -> None:
    """Take a step of the progress."""


def prepared(machine: Machine) -> PreparedImage:
    return LocalEngine().prepare(machine.project, "host", quiet)


def opened(image: PreparedImage, run_id: str = "run1") -> LocalBox:
    box = LocalEngine().open(image, BoxOptions(cell="host", run_id=run_id, limit=60, env=ENVIRONMENT))
    assert isinstance(box, LocalBox)
    return box


def test_it_says_that_nothing_is_isolated_and_why_it_was_taken() -> None:
    assert LocalEngine().describe().startswith(f"{SENTENCE}: Linux")
    assert LocalEngine("no container engine is installed").describe().endswith("; no container engine is installed")


def test_a_run_is_told_what_it_runs_on(machine: Machine) -> None:
    told: list[str] = []
    LocalEngine("dockerd cannot run here (no overlay)").prepare(machine.project, "host", told.append)
    assert told[0] == f"dockerd cannot run here (no overlay); {SENTENCE}"


def test_the_image_is_the_venv_of_its_locks(machine: Machine) -> None:
    image = prepared(machine)
    assert (image.name, image.base_route, image.vendor_route) == ("host", "local", "none")
    assert image.inventory["pip"] == {"numpy": "2.4"}
    assert image.inventory["path"][0] == str(Path.home() / f"cache/tvm-matrix/venvs/host-{image.tag}/bin")
    assert image.image_id.startswith(f"sha256:{image.tag}")


INDEX = "    suite: trixie\n    vendor: {index: 'https://v.example', packages: {nki: '0.6'}}\n"


def test_a_vendors_tools_that_are_neither_here_nor_in_reach_end_it_before_anything_is_made(
    tmp_path: Path, stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vendor, "ask", lambda _url: "no such host")
    machine = make_machine(tmp_path, stand_in, monkeypatch, text=TEXT.replace("    suite: trixie\n", INDEX))
    with pytest.raises(VendorError, match=r"https://v\.example/nki/ does not answer here: no such host"):
        prepared(machine)
    assert machine.made == []


def test_a_vendors_tools_that_are_here_need_no_index(
    tmp_path: Path, stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vendor, "ask", lambda _url: "no such host")
    stand_in("tar", output="tar (GNU tar) 1.35\n")
    machine = make_machine(tmp_path, stand_in, monkeypatch, text=TEXT.replace("    suite: trixie\n", INDEX))
    assert "tar" in prepared(machine).inventory["tools"]


def test_a_program_of_a_wheel_goes_before_this_machines(machine: Machine) -> None:
    image = prepared(machine)
    assert image.inventory["tools"]["gcc"]["version"] == "14.2.0"
    assert "/nvidia/cu13/bin/gcc" in image.inventory["tools"]["gcc"]["path"]


def test_a_wheels_program_of_another_version_does_not_hide_this_machines(
    tmp_path: Path, stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = stand_in("gcc", output="gcc (Debian 14.2.0-19) 14.2.0\n")
    machine = make_machine(tmp_path, stand_in, monkeypatch, wheels={"gcc": "gcc (wheel) 15.1.0"})
    assert prepared(machine).inventory["tools"]["gcc"]["path"] == own.path


def test_a_program_of_another_version_is_not_in_the_inventory(
    tmp_path: Path, stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in("gcc", output="gcc (Debian 15.1.0) 15.1.0\n")
    machine = make_machine(tmp_path, stand_in, monkeypatch, wheels={"gcc": "gcc (wheel) 15.1.0"})
    assert prepared(machine).inventory["tools"] == {}


def test_a_lock_beside_the_images_own_brings_a_tool(
    tmp_path: Path, stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tools, "lock_folder", lambda tool: "apart" if tool == "tar" else "")
    machine = make_machine(tmp_path, stand_in, monkeypatch)
    lock = machine.project.image_folder("host") / "apart" / "requirements.txt"
    lock.parent.mkdir()
    lock.touch()
    assert "/apart/apart/nvidia/cu13/bin/tar" in prepared(machine).inventory["tools"]["tar"]["path"]


def test_the_same_machine_gives_the_same_inventory(machine: Machine) -> None:
    assert prepared(machine).inventory_sha256 == prepared(machine).inventory_sha256


def test_a_probe_sees_nothing_but_the_path(stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_HOME", "/usr/local/cuda-13")
    gcc = stand_in("gcc", output="gcc (Debian 14.2.0-19) 14.2.0\n")
    assert probe("gcc", "==14.*", [str(Path(gcc.path).parent)])[1] == ""
    assert gcc.environments[0].keys() == {"HOME", "LANG", "PATH"}


def test_a_tool_that_is_not_there_is_told(tmp_path: Path) -> None:
    assert probe("gcc", "==14.*", [str(tmp_path)]) == ("", "program not found: 'gcc'")


def test_a_box_has_the_images_path(machine: Machine) -> None:
    image = prepared(machine)
    assert opened(image).environment["PATH"] == ":".join(image.inventory["path"])


def test_a_box_for_which_there_is_no_room_is_a_storage_error(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    image = prepared(machine)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    with pytest.raises(StorageError):
        opened(image)


def test_a_run_sweeps_its_own_boxes(machine: Machine) -> None:
    image = prepared(machine)
    mine, other = opened(image), opened(image, "run2")
    assert LocalEngine().sweep("run1") == [mine.name]
    assert (mine.folder.exists(), other.folder.exists()) == (False, True)


def test_a_box_whose_runner_lives_is_not_reaped(machine: Machine) -> None:
    box = opened(prepared(machine))
    assert LocalEngine().reap() == []
    assert box.folder.exists()


def test_a_box_whose_runner_is_gone_is_reaped(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    pid, _, start = owner_id().partition("-")
    monkeypatch.setattr(labels, "owner_id", lambda: f"{pid}-{int(start) + 1}")
    box = opened(prepared(machine))
    assert LocalEngine().reap() == [box.name]
    assert not box.folder.exists()


def test_what_only_has_such_a_name_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "tvm-box-foreign").mkdir()
    (tmp_path / "tvm-box-link").symlink_to(tmp_path / "tvm-box-foreign")
    (tmp_path / "tvm-box-odd").mkdir()
    (tmp_path / "tvm-box-odd" / "labels.json").write_text("[]")
    assert LocalEngine().reap() == LocalEngine().sweep("run1") == []
    assert len(list(tmp_path.glob("tvm-box-*"))) == 3


def test_there_is_no_image_to_build_again(machine: Machine) -> None:
    with pytest.raises(EngineError, match="image host is built by a container engine; this is "):
        LocalEngine().rebuild(machine.project, "host", quiet)
