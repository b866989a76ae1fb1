"""What tvm.support.emcc refuses: the tool's own words, what to do about it, and no output."""

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.matrix import webassembly
from tvm.error import CompileError, ConfigError, SourceError
from tvm.support import emcc

if TYPE_CHECKING:
    from typing_extensions import Unpack

NATIVE = """\
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
define i32 @one() {
  ret i32 1
}
"""


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return what takes the places of the runtime libraries."""
    return webassembly.bare(tmp_path_factory.mktemp("bare"))


def refused(folder: Path, objects: list[Path], said: str, **settings: "Unpack[webassembly.Link]") -> CompileError:
    """Link, see it fail with the tool's words, and see that nothing was written."""
    output = folder / "refused.wasm"
    with pytest.raises(CompileError, match=said) as error:
        webassembly.fast(output, objects, **settings)
    assert not [entry for entry in folder.iterdir() if "refused" in entry.name]
    return error.value


def source(folder: Path, name: str, text: str) -> Path:
    """Write a source."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_an_error_in_a_source_names_file_and_line(bare: list[Path], tmp_path: Path) -> None:
    wrong = source(tmp_path, "wrong.c", "int right;\nint wrong(void) { return unknown_name; }\n")
    refused(tmp_path, [*bare, wrong], r"wrong\.c:2:\d+: error: .*unknown_name")


def test_an_undefined_symbol_is_reported_with_what_to_do(bare: list[Path], tmp_path: Path) -> None:
    error = refused(
        tmp_path, [*bare, Path("tests/matrix/data/wasm_ask.c")], "undefined symbol: ask", exports=["sum_of_answers"]
    )
    assert (
        error.fix
        == "define ask, give the library that does in libs=, or name it in imports= if the page is to provide it"
    )


def test_an_export_that_nothing_defines_is_reported(bare: list[Path], tmp_path: Path) -> None:
    error = refused(tmp_path, bare, "symbol exported via --export not found: absent", exports=["absent"])
    assert "exports=" in error.fix


def test_text_ir_for_another_target_is_refused(bare: list[Path], tmp_path: Path) -> None:
    error = refused(tmp_path, [*bare, source(tmp_path, "native.ll", NATIVE)], "overriding the module target triple")
    assert "for another target" in error.fix


def test_bitcode_and_objects_for_another_target_are_refused(bare: list[Path], tmp_path: Path) -> None:
    text = source(tmp_path, "native.ll", NATIVE)
    for name, flags, said in (
        ("native.bc", ["-emit-llvm"], "overriding the module target triple"),
        ("native.o", [], "unknown file type"),
    ):
        webassembly.tool(["clang-19", *flags, "-c", "-o", tmp_path / name, text])
        assert refused(tmp_path, [*bare, tmp_path / name], said).fix


def test_damaged_bitcode_is_refused(bare: list[Path], tmp_path: Path) -> None:
    (tmp_path / "damaged.bc").write_bytes(b"BC\xc0\xde" + bytes(60))
    refused(tmp_path, [*bare, tmp_path / "damaged.bc"], "(?i)invalid|malformed|error")


def test_data_that_do_not_fit_in_the_memory_are_refused(bare: list[Path], tmp_path: Path) -> None:
    large = source(tmp_path, "large.c", "char large[40000000] = {1};\nchar *start(void) { return large; }\n")
    error = refused(tmp_path, [*bare, large], "initial memory too small", memory=32 << 20, exports=["start"])
    assert re.search(r"memory= of at least 4\d{7} bytes", error.fix)


@pytest.mark.parametrize(
    "settings", [{"memory": 1000}, {"maximum_memory": 16 << 20}, {"exceptions": True, "asyncify": True}]
)
def test_settings_that_do_not_fit_are_refused_before_emcc_runs(settings: webassembly.Link, tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        emcc.create_tvmjs_wasm(tmp_path / "x.wasm", [], cc="no-such-emcc", **settings)


@pytest.mark.parametrize("place", ["runtime", "libs"])
def test_a_library_with_a_wrong_magic_is_refused_before_emcc_runs(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    libraries = tmp_path / "web" / "dist" / "wasm"
    libraries.mkdir(parents=True)
    for name in webassembly.LIBRARIES:
        shutil.copy((emcc.find_wasm_lib(name) or [""])[0], libraries / name)
    wrong = libraries / ("wasm_runtime.bc" if place == "runtime" else "other.bc")
    wrong.write_bytes(b"\x7fELF and more")
    monkeypatch.setenv("TVM_HOME", str(tmp_path))
    with pytest.raises(SourceError, match="begins with the bytes 7f 45 4c 46"):
        emcc.create_tvmjs_wasm(tmp_path / "x.wasm", [], cc="no-such-emcc", libs=[wrong] if place == "libs" else None)
