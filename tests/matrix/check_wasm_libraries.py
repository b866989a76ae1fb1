"""The libraries that tvm.support.emcc links in: every function of theirs called in node; errors; functions of the page."""

import shutil
from pathlib import Path

import pytest

from tests.matrix import webassembly
from tests.matrix.webassembly import CHECK
from tvm.error import CompileError, ToolNotFound
from tvm.support import emcc

OWN = ("tvmjs_support.bc", "webgpu_runtime.bc")


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return empty modules with the names of the three libraries."""
    return webassembly.bare(tmp_path_factory.mktemp("bare"))


def home(folder: Path) -> Path:
    """Return a new TVM_HOME with links to the image's libraries."""
    places = folder / "web" / "dist" / "wasm"
    places.mkdir(parents=True)
    for name in webassembly.LIBRARIES:
        (library,) = emcc.find_wasm_lib(name) or []
        (places / name).symlink_to(library)
    return places


def test_every_exported_function_does_its_work(tmp_path: Path) -> None:
    module = webassembly.fast(tmp_path / "all.wasm", [])
    assert "called 14 exported functions" in webassembly.node("exports", module)


@pytest.mark.parametrize("name", OWN)
def test_an_empty_library_is_seen(name: str, bare: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the test above shows is not shown by a module that lacks one of the two."""
    places = home(tmp_path)
    (places / name).unlink()
    shutil.copy(bare[0], places / name)
    monkeypatch.setenv("TVM_HOME", str(tmp_path))
    module = webassembly.fast(tmp_path / "part.wasm", [])
    with pytest.raises(CompileError, match=r"tvm_\w+ is not a function"):
        webassembly.node("exports", module)


def test_objects_of_the_names_take_the_places_of_the_libraries(bare: list[Path], tmp_path: Path) -> None:
    module = webassembly.fast(tmp_path / "own.wasm", bare)
    assert b"tvm_" not in module.read_bytes().lower()


@pytest.mark.parametrize("mode", ["caught", "trapped"])
def test_errors_of_c_and_cxx_become_errors_of_javascript(mode: str, tmp_path: Path) -> None:
    module = webassembly.fast(
        tmp_path / "errors.wasm",
        [CHECK, "tests/matrix/data/wasm_throw.cpp"],
        exceptions=mode == "caught",
        exports=["throw_out"],
    )
    assert f"errors are {mode}" in webassembly.node("errors", module, mode)


def test_a_module_waits_for_a_promise_of_the_page(tmp_path: Path) -> None:
    module = webassembly.fast(
        tmp_path / "ask.wasm",
        ["tests/matrix/data/wasm_ask.c"],
        asyncify=True,
        imports=["ask"],
        exports=["sum_of_answers"],
    )
    assert "suspended and went on" in webassembly.node("imports", module)


def test_a_library_in_libs_is_linked(bare: list[Path], tmp_path: Path) -> None:
    archive, made, output = tmp_path / "libask.a", tmp_path / "answer.o", tmp_path / "sum.wasm"
    (tmp_path / "answer.c").write_text("int ask(int question) { return question; }", encoding="utf-8")
    webassembly.tool(["emcc", "-c", "-o", made, tmp_path / "answer.c"])
    webassembly.tool(["emar", "rcs", archive, made])
    emcc.create_tvmjs_wasm(
        output,
        [*bare, "tests/matrix/data/wasm_ask.c"],
        options=webassembly.FAST,
        libs=[archive],
        exports=["sum_of_answers"],
        timeout=webassembly.LIMIT,
    )
    assert webassembly.Instance(output).call("sum_of_answers", 4) == 10


def test_libraries_are_found_in_both_folders_of_tvm_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places = home(tmp_path)
    shutil.copy(places / OWN[0], places.parent / OWN[0])
    monkeypatch.setenv("TVM_HOME", str(tmp_path))
    assert emcc.find_wasm_lib(OWN[0]) == [str(places / OWN[0]), str(places.parent / OWN[0])]


def test_a_missing_library_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_HOME", str(tmp_path))
    with pytest.raises(ToolNotFound, match=r"Cannot find wasm_runtime\.bc") as error:
        webassembly.fast(tmp_path / "x.wasm", [CHECK])
    assert "build-libraries" in error.value.fix
    assert list(tmp_path.iterdir()) == []
