from pathlib import Path

import pytest

from tvm.support import _loader_path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("file", ["libthing.so", "libthing.so.1", "libthing.so.1.2.3"])
def test_a_library_is_found_with_and_without_a_version(folder: Path, file: str) -> None:
    (folder / file).touch()
    assert _loader_path.find("thing") == folder / file


def test_a_library_that_only_begins_like_it_is_not_it(folder: Path) -> None:
    (folder / "libthings.so").touch()
    assert _loader_path.find("thing") is None


def test_no_entry_of_the_variable_is_the_current_directory(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "libthing.so").touch()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("LD_LIBRARY_PATH", ":.:")
    assert _loader_path.find("thing") is None


def test_the_environment_goes_before_the_system(folder: Path) -> None:
    found = list(_loader_path.folders())
    assert found[0] == folder
    assert Path("/usr/lib") in found


def test_windows_and_the_mac_name_their_files_otherwise(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "thing.dll").touch()
    (folder / "libthing.dylib").touch()
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setenv("PATH", str(folder))
    assert _loader_path.find("thing") == folder / "thing.dll"
    monkeypatch.setattr("sys.platform", "darwin")
    monkeypatch.setenv("DYLD_LIBRARY_PATH", str(folder))
    assert _loader_path.find("thing") == folder / "libthing.dylib"
