from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.stand_in import MakeStandIn
from tvm.error import ConfigError
from tvm.support._arguments import command, listed, paths, words

_WORD = st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), min_size=1)


@given(st.lists(_WORD))
def test_words_keeps_every_option_in_order(options: list[str]) -> None:
    assert words(options) == tuple(options)


def test_words_takes_paths() -> None:
    assert words(["-I", Path("inc")]) == ("-I", "inc")


def test_words_refuses_a_str_and_shows_the_list_to_pass() -> None:
    with pytest.raises(TypeError, match=r"options must be a list .* pass \['-O2', '-g'\]"):
        words("-O2 -g")


def test_words_refuses_an_entry_that_is_no_text() -> None:
    with pytest.raises(TypeError, match="options: expected str or a path, not 3"):
        words(["-O2", 3])  # type: ignore[list-item]  # the mistake under test


@pytest.mark.parametrize("one", ["a.c", Path("a.c")])
def test_one_file_is_a_list_of_one(one: str | Path) -> None:
    assert paths(one) == ("a.c",)


@pytest.mark.parametrize("name", ["-fplugin=x.c", "@x.c"])
def test_a_file_that_looks_like_an_option_is_spelled_as_a_path(name: str, tmp_path: Path) -> None:
    (tmp_path / name).touch()

    assert paths([name], cwd=tmp_path) == (f"./{name}",)


def test_an_option_among_the_files_stays(tmp_path: Path) -> None:
    assert paths(["a.c", "-lm"], cwd=tmp_path) == ("a.c", "-lm")


def test_listed_gives_a_list_of_its_own() -> None:
    given_list = ["a.o"]

    listed(given_list).append("b.o")

    assert given_list == ["a.o"]


def test_command_splits_a_program_with_arguments() -> None:
    assert command("ccache 'my g++' -m32") == ("ccache", "my g++", "-m32")


def test_command_keeps_a_file_with_a_blank_whole(tmp_path: Path) -> None:
    compiler = tmp_path / "my g++"
    compiler.touch()

    assert command(str(compiler)) == (str(compiler),)


def test_command_keeps_a_name_on_path_with_a_blank_whole(stand_in: MakeStandIn) -> None:
    stand_in("my g++")

    assert command("my g++") == ("my g++",)


def test_command_never_splits_a_path_object() -> None:
    assert command(Path("no such/g++ -m32")) == ("no such/g++ -m32",)


def test_command_keeps_backslashes_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "win32")

    assert command(r"C:\llvm\clang.exe -m32") == (r"C:\llvm\clang.exe", "-m32")


def test_command_of_blanks_is_one_word_that_no_program_has() -> None:
    assert command("  ") == ("  ",)


def test_command_with_an_open_quote_is_a_clear_error() -> None:
    with pytest.raises(ConfigError, match="cannot split"):
        command("g++ 'x")
