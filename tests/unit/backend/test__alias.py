import importlib
import sys

import pytest

from tests.unit.backend.packages import World
from tests.unit.registries import undone
from tvm import backend, tirx
from tvm.backend import load

INSIDE = "def register_backend() -> None: pass"


@pytest.fixture(autouse=True)
def _twin(world: World) -> None:
    world.package("twin", INSIDE, part="VALUE = 1\n", broken="import not_installed_anywhere")
    deep = world.root / "tvm" / "backend" / "twin" / "deep"
    deep.mkdir()
    (deep / "__init__.py").write_text("")
    (deep / "er.py").write_text("VALUE = 2\n")


def test_the_package_is_one_object() -> None:
    with undone():
        load("twin")
        assert sys.modules["tvm.tirx.twin"] is sys.modules["tvm.backend.twin"] is vars(tirx)["twin"]
        assert vars(backend)["twin"] is vars(tirx)["twin"]


@pytest.mark.parametrize("name", ["part", "deep", "deep.er"])
@pytest.mark.parametrize("first", ["tvm.backend", "tvm.tirx"])
def test_a_submodule_is_one_object_whichever_name_comes_first(name: str, first: str) -> None:
    second = {"tvm.backend": "tvm.tirx", "tvm.tirx": "tvm.backend"}[first]
    with undone():
        load("twin")
        module = importlib.import_module(f"{first}.twin.{name}")
        assert importlib.import_module(f"{second}.twin.{name}") is module
        assert module.__name__ == f"tvm.backend.twin.{name}"
        assert module.__spec__ is not None
        assert module.__spec__.name == module.__name__


def test_what_is_not_there_is_not_there_under_either_name() -> None:
    with undone():
        load("twin")
        with pytest.raises(ModuleNotFoundError, match=r"No module named 'tvm\.tirx\.twin\.absent'"):
            importlib.import_module("tvm.tirx.twin.absent")


def test_what_a_submodule_lacks_is_said() -> None:
    with undone():
        load("twin")
        with pytest.raises(ModuleNotFoundError, match="No module named 'not_installed_anywhere'"):
            importlib.import_module("tvm.tirx.twin.broken")


def test_a_backend_that_is_not_loaded_has_no_other_name() -> None:
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("tvm.tirx.twin.part")
    assert "tvm.backend.twin" not in sys.modules
