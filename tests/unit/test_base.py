import shutil
import sysconfig
from pathlib import Path

import pytest

from tests.unit.registries import failing, undone
from tvm import base


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """Return a folder that holds a real shared library, a module of Python's own, as libsome.so."""
    import _json  # noqa: PLC0415 - only its file is wanted

    if (file := getattr(_json, "__file__", None)) is None:
        file = next(Path(sysconfig.get_config_var("DESTSHARED")).glob("*.so"))
    shutil.copy(file, tmp_path / base.file_name("some"))
    return tmp_path


def test_one_beside_is_opened_and_kept(library: Path) -> None:
    with undone():
        assert base.load_optional_library("some", [library])
        assert Path(base._LOADED_LIBS["some"]._name) == library / base.file_name("some")


def test_one_on_the_library_path_is_found(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_LIBRARY_PATH", f"relative:/absent:{library}")
    with undone():
        assert base.load_optional_library("some", [])


def test_one_that_is_open_is_not_opened_again(library: Path) -> None:
    with undone():
        base.load_optional_library("some", [library])
        before = base._LOADED_LIBS["some"]
        assert base.load_optional_library("some", [])
        assert base._LOADED_LIBS["some"] is before


def test_one_that_is_absent_is_passed_over(tmp_path: Path) -> None:
    assert not base.load_optional_library("some", [tmp_path])
    assert "some" not in base._LOADED_LIBS


def test_one_that_is_no_library_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / base.file_name("some")).write_bytes(b"text")
    assert not base.load_optional_library("some", [tmp_path])


def test_the_current_folder_is_not_searched(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(library)
    monkeypatch.setenv("TVM_LIBRARY_PATH", ".::relative")
    assert not base.load_optional_library("some", [Path()])


def test_an_undone_load_closes_it(library: Path) -> None:
    with failing():
        base.load_optional_library("some", [library])
    assert "some" not in base._LOADED_LIBS


@pytest.mark.parametrize(
    ("text", "on"), [("", False), ("0", False), ("No", False), (" off ", False), ("1", True), ("x", True)]
)
def test_a_switch(text: str, *, on: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_USE_RUNTIME_LIB", text)
    assert base.runtime_only() is on
