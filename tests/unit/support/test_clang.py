import json
from pathlib import Path

import pytest

from tests.unit.stand_in import MakeStandIn
from tvm.error import CompileError, ToolNotFound
from tvm.support import clang

# Puts the text of its last argument, a source file, into the output.
_COPIES = "import shutil\nshutil.copyfile(args[-1], args[args.index('-o') + 1])"


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder for temporary files: one of the test's own."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def test_find_clang_gives_absolute_paths(stand_in: MakeStandIn) -> None:
    expected = [stand_in("clang").path, stand_in("clang-19").path]

    assert clang.find_clang() == expected


def test_find_clang_may_find_nothing() -> None:
    assert clang.find_clang(required=False) == []
    with pytest.raises(ToolNotFound, match="cannot find clang"):
        clang.find_clang()


def test_source_is_compiled_as_cpp_under_a_fixed_name(stand_in: MakeStandIn, temporary: Path) -> None:
    tool = stand_in("clang", body=_COPIES, makes=False)

    texts = [clang.create_llvm("int f();\n", options=["-O1"]) for _ in range(2)]

    assert texts == ["int f();\n"] * 2
    first, second = tool.calls
    assert first == second
    assert first[:4] == ["-S", "-emit-llvm", "-O1", "-o"]
    assert Path(first[-1]).name == "input0.cc"
    assert list(temporary.iterdir()) == []


def test_one_line_of_source_with_a_dot_is_source(stand_in: MakeStandIn) -> None:
    stand_in("clang", body=_COPIES, makes=False)

    assert clang.create_llvm("double f(){return 1.0;}") == "double f(){return 1.0;}"


@pytest.mark.parametrize("kind", [str, Path])
def test_a_file_is_given_as_it_is(kind: type[str] | type[Path], stand_in: MakeStandIn, tmp_path: Path) -> None:
    tool = stand_in("clang")
    source = tmp_path / "a.cc"
    source.touch()

    clang.create_llvm([kind(source)])

    assert tool.calls[0][-1] == str(source)


def test_the_output_gets_the_text_that_is_returned(stand_in: MakeStandIn, tmp_path: Path) -> None:
    tool = stand_in("clang")

    text = clang.create_llvm("int f();\n", output=tmp_path / "o.ll")

    assert (tmp_path / "o.ll").read_text(encoding="utf-8") == text
    assert json.loads(text)[1:] == tool.calls[0]


def test_another_clang_may_be_named(stand_in: MakeStandIn) -> None:
    tool = stand_in("my-clang")

    clang.create_llvm("int f();\n", cc=f"{tool.path} --target=wasm32")

    assert tool.calls[0][0] == "--target=wasm32"


def test_the_clang_that_wrote_the_input_is_taken(stand_in: MakeStandIn, tmp_path: Path) -> None:
    stand_in("clang")
    matching = stand_in("clang-14")
    (tmp_path / "a.ll").write_text('!{!"clang version 14.0.6"}', encoding="utf-8")

    clang.create_llvm(tmp_path / "a.ll")

    assert len(matching.calls) == 1


def test_a_failure_shows_clangs_text_and_keeps_the_earlier_output(stand_in: MakeStandIn, tmp_path: Path) -> None:
    stand_in("clang", output="input0.cc:1:5: error: no", code=1)
    (tmp_path / "o.ll").write_text("old", encoding="utf-8")

    with pytest.raises(CompileError, match=r"Compilation error:\ninput0.cc:1:5: error: no"):
        clang.create_llvm("int x = ;\n", output=tmp_path / "o.ll")

    assert (tmp_path / "o.ll").read_text(encoding="utf-8") == "old"


def test_options_in_one_str_are_refused() -> None:
    with pytest.raises(TypeError, match="options must be a list"):
        clang.create_llvm("int f();\n", options="-O2")
