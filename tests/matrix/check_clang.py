"""tvm.support.clang with Debian's clang: LLVM text that clang itself turns into a library that runs."""

import re
from pathlib import Path

import pytest

from tests.matrix import elf, kernels, native
from tests.matrix.evidence import compiled, executed, inspected, linked
from tests.matrix.publish import Publish
from tvm.error import CompileError, ToolNotFound
from tvm.support import cc, clang

TRIPLES = {"x86_64": "x86_64-pc-linux-gnu"}
SOURCE = "examples/kernels/softmax.c"


def test_the_clang_on_path_is_found() -> None:
    """Debian has it with and without a version in its name; both are the same program."""
    found = clang.find_clang()
    assert found[0] == "/usr/bin/clang"
    assert "/usr/bin/clang-19" in found


def test_the_version_asked_for_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_LLVM_VERSION", "19")
    assert clang.find_clang()[0] == "/usr/bin/clang-19"


def test_without_a_clang_the_names_and_folders_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert clang.find_clang(required=False) == []
    with pytest.raises(ToolNotFound, match="clang") as error:
        clang.find_clang()
    assert error.value.looked == (str(tmp_path),)


def test_llvm_text_from_a_file_becomes_a_library_that_runs(arch: str, tmp_path: Path, artefact: Publish) -> None:
    text, library = tmp_path / "softmax.ll", tmp_path / "libsoftmax.so"
    said = clang.create_llvm([SOURCE], output=text, options=["-O3", "-fPIC"])
    assert text.read_text(encoding="utf-8") == said
    triple = re.search(r'^target triple = "(.*)"$', said, re.MULTILINE)
    assert triple
    assert triple[1] == TRIPLES[arch]
    assert re.search(r"^define .*void @softmax\(", said, re.MULTILINE)
    cc.create_shared(library, [text], options=["-lm"], cc="clang")
    assert elf.read(library).exports == {"softmax"}
    kernel = kernels.softmax()
    shown = [
        compiled("clang.create_llvm", "clang -S -emit-llvm"),
        linked("cc.create_shared", "clang and ld make a library of it"),
        inspected("this check", f"target triple {triple[1]}, defines softmax"),
        executed("ctypes", kernels.verdict(kernel, native.run(library, kernel))),
    ]
    artefact("softmax.ll", text, target=TRIPLES[arch], arch=arch, evidence=shown)


def test_llvm_text_from_source_text_becomes_a_library_that_runs(root: Path, tmp_path: Path) -> None:
    """Text is C++; a line of it with a dot in it is no file name."""
    text = (root / SOURCE).read_text(encoding="utf-8")
    (tmp_path / "softmax.ll").write_text(clang.create_llvm(text, options=["-O2", "-fPIC"]), encoding="utf-8")
    cc.create_shared(tmp_path / "libsoftmax.so", [tmp_path / "softmax.ll"], options=["-lm"], cc="clang")
    kernels.worst(kernels.softmax(), native.run(tmp_path / "libsoftmax.so", kernels.softmax()))
    assert "define" in clang.create_llvm('extern "C" double one() { return 1.0; }')


def test_the_same_text_gives_the_same_llvm() -> None:
    text = 'extern "C" int two() { return 2; }'
    assert clang.create_llvm(text) == clang.create_llvm(text)


def test_a_compiler_can_be_named() -> None:
    said = clang.create_llvm(SOURCE, cc="/usr/bin/clang-19", options=["--target=aarch64-linux-gnu"])
    assert 'target triple = "aarch64-unknown-linux-gnu"' in said


def test_compile_error_names_line_and_leaves_no_output(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match=r"input0\.cc:2:\d+: error: .*unknown_name"):
        clang.create_llvm("int right;\nint wrong() { return unknown_name; }\n", output=tmp_path / "wrong.ll")
    assert list(tmp_path.iterdir()) == []
