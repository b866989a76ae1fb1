import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tvm.support import _orphans
from tvm.support._staging import private

_WRITES = "import time; time.sleep(60)"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder that a killed builder may have left."""
    made = tmp_path / ".x.o.tvm"
    made.mkdir()
    return made


@pytest.fixture
def started(tmp_path: Path) -> Iterator[list["subprocess.Popen[bytes]"]]:
    """Return a list for programs that are ended after the test."""
    assert tmp_path.is_dir()
    programs: list[subprocess.Popen[bytes]] = []
    yield programs
    for program in programs:
        program.kill()
        program.wait()


def _start(*words: str, cwd: Path, session: bool = True) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-IS", "-c", _WRITES, *words], cwd=cwd, start_new_session=session)


@pytest.mark.parametrize("spelled", ["{folder}/x.o", ".x.o.tvm/x.o", "--output={folder}/x.o"])
@pytest.mark.parametrize("session", ["own", "ours"])
def test_what_writes_into_the_folder_is_ended(
    spelled: str,
    session: str,
    folder: Path,
    tmp_path: Path,
    started: list["subprocess.Popen[bytes]"],
) -> None:
    started.append(_start("-o", spelled.format(folder=folder), cwd=tmp_path, session=session == "own"))
    time.sleep(0.1)

    _orphans.end(folder)

    assert started[0].wait(10) == -9


@pytest.mark.parametrize("spelled", [".x.o.tvm/x.o", "other/.x.o.tvm", "x.o.tvm"])
def test_what_writes_elsewhere_goes_on(
    spelled: str, folder: Path, tmp_path: Path, started: list["subprocess.Popen[bytes]"]
) -> None:
    (tmp_path / "elsewhere" / ".x.o.tvm").mkdir(parents=True)
    started.append(_start("-o", spelled, cwd=tmp_path / "elsewhere"))
    time.sleep(0.1)

    _orphans.end(folder)

    assert started[0].poll() is None


def test_a_new_folder_is_not_looked_for(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[Path] = []
    monkeypatch.setattr(_orphans, "end", ended.append)
    with private(tmp_path / ".new.tvm"):
        pass
    assert ended == []
    with private(folder):
        pass

    assert ended == [folder]


def test_where_there_is_no_proc_nothing_is_ended(
    folder: Path, started: list["subprocess.Popen[bytes]"], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_orphans, "_PROCESSES", folder / "none")
    started.append(_start("-o", f"{folder}/x.o", cwd=folder))

    _orphans.end(folder)

    assert started[0].poll() is None
