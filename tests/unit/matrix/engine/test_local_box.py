import io
import json
import os
import shutil
import sys
import tarfile
import tempfile
from pathlib import Path

import pytest

from tests.unit.stand_in import MakeStandIn
from tvm.error import BoxGoneError, CellFailedError, EngineError
from tvm.matrix.engine import LABEL_CELL, LABEL_RUN, BoxOptions, leftovers
from tvm.matrix.engine.local_box import LocalBox, remove
from tvm.matrix.engine.printed import HEAD, TAIL

ENVIRONMENT = {"HOME": "/home/tvm", "TMPDIR": "/tmp", "PYTHONPATH": "/src", "LANG": "C.UTF-8"}


@pytest.fixture(autouse=True)
def _temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@pytest.fixture
def box(bin_folder: Path) -> LocalBox:
    return LocalBox(BoxOptions(cell="ndk", run_id="run1", limit=60, env=ENVIRONMENT), [str(bin_folder), "/more"])


def members(data: bytes) -> list[str]:
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        return tar.getnames()


def test_a_box_is_a_folder_that_nobody_else_can_read(box: LocalBox) -> None:
    assert box.folder.stat().st_mode & 0o777 == 0o700


def test_a_box_says_whose_it_is(box: LocalBox) -> None:
    marks = json.loads((box.folder / "labels.json").read_text())
    assert (marks[LABEL_RUN], marks[LABEL_CELL]) == ("run1", "ndk")


def test_the_places_of_a_container_are_folders_of_the_box(box: LocalBox) -> None:
    assert box.environment == {
        "HOME": f"{box.name}/home",
        "TMPDIR": f"{box.name}/tmp",
        "PYTHONPATH": f"{box.name}/src",
        "LANG": "C.UTF-8",
        "PATH": f"{os.environ['PATH']}:/more",
        leftovers.VARIABLE: box.name,
    }
    assert (box.folder / "src" / "out").is_dir()
    assert not (box.folder / "src" / "out").is_symlink()


def test_nothing_of_our_environment_reaches_a_program(
    box: LocalBox, stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_HOME", "/usr/local/cuda-13")
    gcc = stand_in("gcc")
    box.run(["gcc"], timeout=10, env={"TVM_MATRIX_RECORD": "/src/out/calls-cc.jsonl"})
    (told,) = gcc.environments
    assert told == {**box.environment, "TVM_MATRIX_RECORD": f"{box.name}/src/out/calls-cc.jsonl"}


def test_a_program_runs_in_the_source_folder_with_the_words_of_a_container(
    box: LocalBox, stand_in: MakeStandIn
) -> None:
    python = stand_in("python", output="1 passed\n")
    done = box.run(["python", "-m", "pytest", "--junitxml", "out/check_cc.xml"], timeout=10)
    assert (done.code, done.output) == (0, "1 passed\n")
    assert python.calls == [["-m", "pytest", "--junitxml", "out/check_cc.xml"]]
    assert python.cwds == [f"{box.name}/src"]


def test_folders_of_a_container_are_made_in_the_box(box: LocalBox, stand_in: MakeStandIn) -> None:
    mkdir = stand_in("mkdir")
    box.run(["mkdir", "-p", "/home/tvm", "/tmp", "/tmpfile", f"{box.name}/x"], timeout=10)
    assert mkdir.calls == [["-p", f"{box.name}/home", f"{box.name}/tmp", "/tmpfile", f"{box.name}/x"]]


def test_an_exit_code_is_returned_and_output_handed_on(box: LocalBox, stand_in: MakeStandIn) -> None:
    stand_in("python", output="1 failed\n", code=1)
    seen: list[bytes] = []
    assert box.run(["python"], timeout=10, output=seen.append).code == 1
    assert seen == [b"1 failed\n"]


def test_a_program_that_overruns_is_ended_with_what_it_printed(box: LocalBox, stand_in: MakeStandIn) -> None:
    stand_in("python", body="import time; print('begun', flush=True); time.sleep(60)")
    done = box.run(["python"], timeout=3.0)
    assert (done.code, "begun" in done.output) == (124, True)


@pytest.mark.parametrize(("content", "code"), [(None, 127), ("#!/no/such/interpreter\n", 126)])
def test_a_program_that_cannot_be_started_has_a_shells_exit_code(
    box: LocalBox, bin_folder: Path, content: str | None, code: int
) -> None:
    if content:
        (bin_folder / "gcc").write_text(content)
        (bin_folder / "gcc").chmod(0o755)
    assert box.run(["gcc", "--version"], timeout=10).code == code


def test_the_tree_is_unpacked_as_this_users_own(box: LocalBox, stand_in: MakeStandIn) -> None:
    tar = stand_in("tar", body="print(open(args[3]).read())", output="")
    box.put([b"one ", b"two"])
    assert tar.calls == [["-x", "--no-same-owner", "-f", f"{box.name}/tree.tar", "-C", f"{box.name}/src"]]
    assert not (box.folder / "tree.tar").exists()


def test_a_tree_that_cannot_be_unpacked_is_an_error_with_tars_words(box: LocalBox, stand_in: MakeStandIn) -> None:
    stand_in("tar", output="No space left on device\n", code=2)
    with pytest.raises(EngineError, match="No space left on device"):
        box.put([b""])


def test_what_a_check_left_comes_back_as_a_tar(box: LocalBox) -> None:
    (box.folder / "src" / "out" / "check_cc.xml").touch()
    sink = io.BytesIO()
    box.get("/out", sink)
    assert members(sink.getvalue()) == ["out", "out/check_cc.xml"]


def test_what_is_not_there_is_an_error(box: LocalBox) -> None:
    with pytest.raises(CellFailedError, match="has no /out/none"):
        box.get("/out/none", io.BytesIO())


def test_a_box_whose_folder_a_check_has_removed_is_gone(box: LocalBox) -> None:
    shutil.rmtree(box.folder)
    with pytest.raises(BoxGoneError, match="has removed its folder"):
        box.get("/out", io.BytesIO())


def test_output_without_end_is_kept_in_bounds(box: LocalBox, stand_in: MakeStandIn) -> None:
    stand_in("loud", output="x" * (HEAD + TAIL + 10))
    done = box.run(["loud"], timeout=30)
    assert len(done.raw) < HEAD + TAIL + 100
    assert " 10 bytes of output are left out " in done.output


def test_a_closed_box_is_gone_whatever_its_modes(box: LocalBox, tmp_path: Path) -> None:
    closed = box.folder / "src" / "closed" / "below"
    closed.mkdir(parents=True)
    (closed / "file").touch()
    closed.parent.chmod(0o500)
    (tmp_path / "outside").mkdir(mode=0o500)
    (box.folder / "link").symlink_to(tmp_path / "outside")
    box.close()
    box.close()
    assert not box.folder.exists()
    assert (tmp_path / "outside").stat().st_mode & 0o777 == 0o500


def test_a_daemon_of_a_check_ends_with_the_box(box: LocalBox, bin_folder: Path) -> None:
    body = (
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n    os.close(1)\n    os.close(2)\n    time.sleep(60)\n"
    )
    (bin_folder / "forks").write_text(f"#!{sys.executable} -IS\n{body}")
    (bin_folder / "forks").chmod(0o755)
    box.run(["forks"], timeout=20)
    assert len(list(leftovers.members(box.name))) == 1
    box.close()
    assert list(leftovers.members(box.name)) == []


def test_a_kept_box_stays_and_no_reaper_takes_it(box: LocalBox) -> None:
    box.close(keep=True)
    assert (box.folder / "src").is_dir()
    assert not (box.folder / "labels.json").exists()


def test_removing_what_is_gone_is_no_error(tmp_path: Path) -> None:
    remove(tmp_path / "gone")
    assert not (tmp_path / "gone").exists()
