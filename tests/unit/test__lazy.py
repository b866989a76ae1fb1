import sys
from types import ModuleType

import pytest

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
