import sys
from pathlib import Path

import pytest

from tests.unit.registries import undone
from tests.unit.runtime.devices import Listed
from tvm.backend.package import lazy, register_devices, register_operations, submodules
from tvm.ir import has_op
from tvm.runtime import get_device_api
from tvm.target import list_device_target_detectors


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    folder = tmp_path / "tvm_unit_package"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "table.py").write_text("ROWS = [1]\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, "tvm_unit_package.table", None)
    monkeypatch.delitem(sys.modules, "tvm_unit_package.table")
    monkeypatch.delitem(sys.modules, "tvm_unit_package", raising=False)
    return folder.name


def test_a_submodule_that_is_there_is_imported(package: str) -> None:
    assert submodules(package, there=frozenset({"table"}))("table").ROWS == [1]


def test_one_that_comes_later_is_an_error_that_says_so(package: str) -> None:
    with pytest.raises(AttributeError, match=f"{package}.codegen is not part of this version of tvm-matrix"):
        submodules(package, there=frozenset({"table"}), later=frozenset({"codegen"}))("codegen")


def test_any_other_is_an_error_with_a_suggestion(package: str) -> None:
    with pytest.raises(AttributeError, match=rf"module '{package}' has no attribute 'tabel'; did you mean table\?"):
        submodules(package, there=frozenset({"table"}))("tabel")


def test_a_lazy_thing_is_imported_when_it_is_asked_for(package: str) -> None:
    load = lazy(f"{package}.table", "ROWS")
    assert f"{package}.table" not in sys.modules
    assert load() == [1]


def test_devices_and_operations_are_read_from_the_module_at_their_first_use(package: str, tmp_path: Path) -> None:
    text = "class TABLES:\n    operations = staticmethod(lambda prefix: {prefix + 'barrier': 'op'})\nfrom tests.unit.runtime.devices import Listed\nAPI = Listed([])\n"
    (tmp_path / package / "table.py").write_text(text)
    with undone():
        register_devices("shape", f"{package}.table")
        register_operations(f"{package}.table", "tirx.shape.", "tirx.form.")
        assert f"{package}.table" not in sys.modules
        assert isinstance(get_device_api("shape"), Listed)
        assert "shape" in list_device_target_detectors()
        assert [has_op(f"tirx.{name}.barrier") for name in ("shape", "form", "other")] == [True, True, False]
