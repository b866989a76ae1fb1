import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.unit.support._cuda.fakes import Nvrtc, headers
from tvm.support._cache import memo, states, store
from tvm.support._cuda import located, paths


@pytest.fixture(autouse=True)
def _on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_COMPILE_CACHE", "on")
    monkeypatch.setenv("TVM_COMPILE_CACHE_DIR", str(tmp_path / "compile-cache"))
    monkeypatch.setattr("tvm.support._cache.states.SETTLED", -(10**10))
    memo.forget()


@pytest.fixture
def wheel(machine: Path, nvrtc: Nvrtc, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the site-packages that hold NVRTC in a wheel, with a toolkit's headers beside it."""
    assert nvrtc.calls == []
    site = machine / "site-packages"
    library = site / "nvidia" / "cuda_nvrtc" / "lib" / "libnvrtc.so.12"
    library.parent.mkdir(parents=True)
    library.write_text("nvrtc", encoding="ascii")
    headers(site / "nvidia" / "cuda_runtime" / "include")
    loads: list[str] = []

    def found(name: str) -> SimpleNamespace:
        loads.append(name)
        return SimpleNamespace(abs_path=str(library))

    monkeypatch.setitem(sys.modules, "cuda.pathfinder", SimpleNamespace(load_nvidia_dynamic_lib=found, loads=loads))
    return site


def _in_another_process(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Forget everything, let nothing count as loaded, and return what is loaded from now on."""
    memo.forget()
    paths._search.cache_clear()
    monkeypatch.setattr(located, "_is_loaded", lambda: False)
    loads: list[str] = sys.modules["cuda.pathfinder"].loads
    loads.clear()
    return loads


def test_what_was_found_is_found_again_without_loading_anything(wheel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = located.nvrtc(includes=True)
    loads = _in_another_process(monkeypatch)

    assert located.nvrtc(includes=True) == first
    assert loads == []
    assert first.version == (12, 9)
    assert first.includes == (wheel / "nvidia" / "cuda_runtime" / "include",)


@pytest.mark.parametrize("change", ["library", "wheel", "path", "variable"])
def test_after_a_change_it_is_looked_for(
    change: str, wheel: Path, machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    located.nvrtc(includes=True)
    loads = _in_another_process(monkeypatch)
    match change:
        case "library":
            (wheel / "nvidia" / "cuda_nvrtc" / "lib" / "libnvrtc.so.12").write_text("a newer one", encoding="ascii")
        case "wheel":
            (wheel / "nvidia" / "cu13").mkdir()
        case "path":
            monkeypatch.setattr(sys, "path", [str(machine / "other"), *sys.path])
        case _:
            monkeypatch.setenv("LD_LIBRARY_PATH", "/other")
    located.nvrtc(includes=True)

    assert loads != []


def test_another_library_that_is_loaded_already_is_the_one(wheel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    located.nvrtc(includes=False)
    other = SimpleNamespace(load_nvidia_dynamic_lib=lambda _name: SimpleNamespace(abs_path="/other/libnvrtc.so"))
    monkeypatch.setitem(sys.modules, "cuda.pathfinder", other)

    assert wheel.is_dir()
    assert located.nvrtc(includes=False).library == "/other/libnvrtc.so"


@pytest.mark.parametrize("mode", ["off", "read"])
def test_no_file_is_hashed_where_nothing_is_kept(
    mode: str, wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.opened(tmp_path / "compile-cache", write=True)
    monkeypatch.setenv("TVM_COMPILE_CACHE", mode)
    hashed: list[str] = []
    monkeypatch.setattr(states, "_digest", lambda path, _kind: hashed.append(path))

    assert located.nvrtc(includes=True).includes == (wheel / "nvidia" / "cuda_runtime" / "include",)
    assert hashed == []


@pytest.mark.usefixtures("nvrtc")
def test_a_library_of_the_system_is_looked_for_each_time(libraries: Path, tmp_path: Path) -> None:
    assert located.nvrtc(includes=False).library == str(libraries / "libnvrtc.so")
    assert not list((tmp_path / "compile-cache").glob("memos/*/*"))


def test_headers_that_are_not_there_may_come(wheel: Path, tmp_path: Path) -> None:
    (wheel / "nvidia" / "cuda_runtime" / "include" / "cuda_runtime_api.h").unlink()

    assert located.nvrtc(includes=True).includes is None
    assert not list((tmp_path / "compile-cache").glob("memos/*/*"))
