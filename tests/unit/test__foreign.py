import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
import tvm_ffi

import tvm
from tvm import _foreign

ROOT = Path(tvm.__file__).parents[1]
# Stands for tvm_ffi: it registers what it is given in a dict, and says what is in it.
REGISTRY = "names = {}\ndef list_global_func_names():\n    return list(names)\n"
PACKAGE = (
    "from fake_ffi import registry\ndef register_global_func(name, function):\n    registry.names[name] = function\n"
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    package = tmp_path / "fake_ffi"
    package.mkdir()
    (package / "__init__.py").write_text(PACKAGE, encoding="utf-8")
    (package / "registry.py").write_text(REGISTRY, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(_foreign, "_FFI", "fake_ffi")
    finders = list(sys.meta_path)
    yield package
    sys.meta_path[:] = finders
    for name in ("fake_ffi", "fake_ffi.registry"):
        sys.modules.pop(name, None)


def names() -> list[str]:
    listed: list[str] = import_module("fake_ffi.registry").list_global_func_names()
    return listed


def test_a_foreign_caller_finds_every_name_and_import_tvm_loads_neither_side() -> None:
    script = (
        "import sys, tvm; assert 'tvm_ffi' not in sys.modules; import tvm_ffi; assert 'tvm.support.nvcc' not in sys.modules; "
        "print(*(tvm_ffi.get_global_func(name) is not None for name in sys.argv[1:]))"
    )
    command = [sys.executable, "-c", script, *_foreign.TABLE]
    done = subprocess.run(command, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False)
    assert (done.stderr, done.stdout.split()) == ("", ["True"] * len(_foreign.TABLE))


@pytest.mark.parametrize("place", sorted(_foreign.TABLE.values()))
def test_every_place_is_a_python_function(place: str) -> None:
    module, _, function = place.partition(":")
    assert not isinstance(getattr(import_module(module), function), tvm_ffi.Function)


@pytest.mark.usefixtures("folder")
def test_an_imported_library_gets_them_at_once() -> None:
    import_module("fake_ffi")
    _foreign.install()
    assert names() == list(_foreign.TABLE)


@pytest.mark.usefixtures("folder")
def test_a_library_gets_them_when_it_is_imported() -> None:
    before = list(sys.meta_path)
    _foreign.install()
    module = import_module("fake_ffi")
    assert names() == list(_foreign.TABLE)
    assert sys.meta_path == before
    assert module.__spec__ is not None
    assert module.__spec__.loader is module.__loader__
    assert not isinstance(module.__loader__, _foreign._Loader)


@pytest.mark.usefixtures("folder")
def test_who_only_asks_where_the_library_is_does_not_use_up_the_hook() -> None:
    _foreign.install()
    assert importlib.util.find_spec("fake_ffi") is not None
    import_module("fake_ffi")
    assert names() == list(_foreign.TABLE)


def test_after_an_import_that_failed_the_next_one_registers(folder: Path) -> None:
    (folder / "__init__.py").write_text("raise OSError('no library')\n", encoding="utf-8")
    _foreign.install()
    with pytest.raises(OSError, match="no library"):
        import_module("fake_ffi")
    (folder / "__init__.py").write_text(f"{PACKAGE}# whole\n", encoding="utf-8")
    importlib.invalidate_caches()
    import_module("fake_ffi")
    assert names() == list(_foreign.TABLE)


@pytest.mark.usefixtures("folder")
def test_a_name_that_is_taken_stays_as_it_is() -> None:
    registered = import_module("fake_ffi.registry").names
    registered["tvm_callback_cuda_compile"] = print
    _foreign.install()
    assert registered["tvm_callback_cuda_compile"] is print
    assert set(registered) == set(_foreign.TABLE)


def test_a_wrong_argument_is_a_value_error_on_the_other_side_too() -> None:
    with pytest.raises(ValueError, match=r"^no CUDA architecture: 'gfx90a'\nfix: pass arch="):
        tvm_ffi.get_global_func("tvm.support.nvcc.get_compute_version")("gfx90a")


@pytest.mark.usefixtures("folder")
def test_a_call_reaches_the_function_by_position() -> None:
    import_module("fake_ffi")
    _foreign.install()
    forward = import_module("fake_ffi.registry").names["tvm.support.nvcc.get_compute_version"]
    assert forward("sm_90a") == "9.0.a"
