import pkgutil
import sys
from types import ModuleType

import pytest

import tvm
import tvm.support
from tvm import _lazy


def test_a_name_is_imported_at_its_first_use_and_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    package = ModuleType("lazy_of_test")
    monkeypatch.setitem(sys.modules, "lazy_of_test", package)
    find = _lazy.members("lazy_of_test", {"math": ("pi",)})
    assert not hasattr(package, "pi")
    assert find("pi") == vars(package)["pi"] == pytest.approx(3.14159, abs=1e-5)


def test_any_other_name_is_an_attribute_error() -> None:
    find = _lazy.members("lazy_of_test", {"math": ("pi",)})
    with pytest.raises(AttributeError, match="module 'lazy_of_test' has no attribute 'tau'"):
        find("tau")


@pytest.mark.parametrize("package", ["ir", "target", "runtime"])
def test_every_public_name_is_there(package: str) -> None:
    module = __import__(f"tvm.{package}", fromlist=["__all__"])
    assert [name for name in module.__all__ if getattr(module, name, None) is None] == []


def test_a_submodule_needs_no_import_of_its_own() -> None:
    find = _lazy.submodules("xml", there=frozenset({"sax"}))
    assert find("sax") is sys.modules["xml.sax"]
    with pytest.raises(AttributeError, match="module 'xml' has no attribute 'dom'"):
        find("dom")


@pytest.mark.parametrize("name", ["cc", "clang", "emcc", "ndk", "nvcc", "popen_pool", "rocm", "tar", "utils", "xcode"])
def test_support_has_its_modules(name: str) -> None:
    assert getattr(tvm.support, name).__name__ == f"tvm.support.{name}"


def test_every_public_module_of_support_is_found_lazily() -> None:
    names = {module.name for module in pkgutil.iter_modules(tvm.support.__path__)}
    # libinfo is the function, see tvm.support.
    public = {name for name in names if not name.startswith("_")} - {"libinfo"}
    assert public == tvm.support._MODULES
