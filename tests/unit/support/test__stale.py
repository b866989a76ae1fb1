import fcntl
import os
import time
from pathlib import Path

import pytest

from tvm.support import _stale
from tvm.support.utils import TempDirectory, tempdir

HOURS_AGO = time.time() - 2 * 3600


def leftover(folder: Path) -> Path:
    """Make a directory as a killed process leaves it behind, two hours old."""
    folder.mkdir()
    (folder / "file").touch()
    os.utime(folder, (HOURS_AGO, HOURS_AGO))
    return folder


def test_an_old_directory_without_owner_is_swept(tmp_path: Path) -> None:
    folder = leftover(tmp_path / "tvm-tmp-a")
    _stale.sweep(tmp_path, "tvm-tmp-")
    assert not folder.exists()


def test_a_held_directory_stays(tmp_path: Path) -> None:
    folder = leftover(tmp_path / "tvm-tmp-a")
    held = _stale.hold(str(folder))
    assert held is not None
    _stale.sweep(tmp_path, "tvm-tmp-")
    assert folder.is_dir()
    os.close(held)


def test_a_young_directory_stays(tmp_path: Path) -> None:
    (tmp_path / "tvm-tmp-a").mkdir()
    _stale.sweep(tmp_path, "tvm-tmp-")
    assert (tmp_path / "tvm-tmp-a").is_dir()


def test_other_names_links_and_files_stay(tmp_path: Path) -> None:
    other = leftover(tmp_path / "other")
    (tmp_path / "tvm-tmp-link").symlink_to(other)
    (tmp_path / "tvm-tmp-file").touch()
    _stale.sweep(tmp_path, "tvm-tmp-")
    assert sorted(entry.name for entry in tmp_path.iterdir() if entry.name != "stand-ins") == [
        "other",
        "tvm-tmp-file",
        "tvm-tmp-link",
    ]
    assert (other / "file").exists()


def test_another_users_directory_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = leftover(tmp_path / "tvm-tmp-a")
    monkeypatch.setattr("os.getuid", lambda: folder.stat().st_uid + 1)
    _stale.sweep(tmp_path, "tvm-tmp-")
    assert folder.is_dir()


def test_without_flock_nothing_is_held_and_nothing_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_descriptor: int, _operation: int) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", fail)
    folder = leftover(tmp_path / "tvm-tmp-a")
    assert _stale.hold(str(folder)) is None
    _stale.sweep(tmp_path, "tvm-tmp-")
    assert folder.is_dir()


def test_the_first_directory_of_a_process_sweeps_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(TempDirectory, "_SWEPT", False)
    first = leftover(tmp_path / "tvm-tmp-a")
    with tempdir():
        assert not first.exists()
        second = leftover(tmp_path / "tvm-tmp-b")
        with tempdir():
            assert second.is_dir()
