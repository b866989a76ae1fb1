"""What the packages of the nine backends have in common."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import tvm
from tests.unit.backends.conftest import BUILT_IN
from tvm.script import tirx as tx

ROOT = Path(tvm.__file__).parents[1]
SCRIPTED = {"cuda": ("cuda", "nvshmem", "ptx_legacy", "ptx", "s_tir"), "metal": ("metal",), "trn": ("nki",)}
LATER = [
    *(("cuda", name) for name in ("lang", "transforms", "iket", "codegen", "op", "tile_primitive", "emulate", "cpp")),
    *(("trn", name) for name in ("layout", "op", "tile_primitive", "transform")),
    ("adreno", "pipeline"),
]


def package(name: str) -> ModuleType:
    return import_module(f"tvm.backend.{name}")


def test_each_package_is_a_link_and_each_link_a_package() -> None:
    folders = {path.name for path in (ROOT / "backends").iterdir() if (path / "__init__.py").is_file()}
    links = {path.name: path.readlink() for path in (ROOT / "tvm" / "backend").iterdir() if path.is_symlink()}
    assert folders == set(BUILT_IN)
    assert links == {name: Path("..", "..", "backends", name) for name in folders}


@pytest.mark.parametrize("name", BUILT_IN)
class TestEveryPackage:
    def test_exports_what_it_has(self, name: str) -> None:
        module = package(name)
        scripted = ["script_namespace", "script_namespaces"] if name in SCRIPTED else []
        assert module.__all__ == ["register_backend", *scripted]
        assert all(callable(getattr(module, exported)) for exported in module.__all__)

    def test_its_submodules_are_those_that_are_there(self, name: str) -> None:
        module = package(name)
        folder = ROOT / "backends" / name
        files = {path.stem for path in folder.glob("*.py")} | {
            path.parent.name for path in folder.glob("*/__init__.py")
        }
        assert files - {"__init__"} == module._THERE
        for submodule in module._THERE:
            assert getattr(module, submodule).__name__ == f"tvm.backend.{name}.{submodule}"

    def test_an_unknown_name_is_an_attribute_error(self, name: str) -> None:
        with pytest.raises(AttributeError, match=f"module 'tvm.backend.{name}' has no attribute 'nonsense'"):
            package(name).nonsense  # noqa: B018 - the access is what fails


@pytest.mark.parametrize(("name", "attribute"), LATER)
def test_what_comes_later_is_an_attribute_error_that_says_so(name: str, attribute: str) -> None:
    module = package(name)
    with pytest.raises(AttributeError, match=rf"tvm.backend.{name}.{attribute} is not part of this version"):
        getattr(module, attribute)
    assert attribute not in module.__all__
    assert not hasattr(module, attribute)


@pytest.mark.parametrize("name", SCRIPTED)
class TestScriptNamespaces:
    def test_are_those_of_the_script(self, name: str) -> None:
        found = package(name).script_namespaces()
        assert tuple(found) == SCRIPTED[name]
        assert all(found[key] is getattr(tx, key) for key in found)

    def test_the_first_is_the_backends_own(self, name: str) -> None:
        assert package(name).script_namespace() is getattr(tx, SCRIPTED[name][0])

    def test_a_wrapper_is_put_around_each_member(self, name: str) -> None:
        namespace = package(name).script_namespace(op_wrapper=lambda builder: (builder, "wrapped"))
        member = {"cuda": "cta_sync", "metal": "simd_shuffle", "trn": "load"}[name]
        builder, mark = getattr(namespace, member)
        assert (builder.__name__, mark) == (member, "wrapped")
        assert getattr(tx, SCRIPTED[name][0]) is not namespace


def test_loading_reads_no_table() -> None:
    code = "import sys, tvm; print(*sorted(name for name in sys.modules if name.startswith('tvm.backend.')))"
    run = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, timeout=60, check=True
    )
    loaded = run.stdout.decode().split()
    assert {f"tvm.backend.{name}" for name in BUILT_IN} <= set(loaded)
    assert [name for name in loaded if name.count(".") > 2] == []
