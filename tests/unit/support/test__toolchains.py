import pytest

from tests.unit.stand_in import MakeStandIn
from tvm.support import _toolchains


def found(name: str) -> _toolchains.Found | None:
    return next(report.found for report in _toolchains.survey() if report.name == name)


def test_a_bare_machine_has_nothing_and_each_line_says_what_to_do() -> None:
    for report in _toolchains.survey():
        # A toolkit under /usr/local is found without PATH.
        assert report.found or (report.why and report.fix), report.name


@pytest.mark.parametrize(
    ("name", "program"),
    [("c++", "g++"), ("clang", "clang-19"), ("emcc", "emcc"), ("ld.lld", "ld.lld"), ("xcrun", "xcrun")],
)
def test_a_program_on_path_is_found_with_its_version(name: str, program: str, stand_in: MakeStandIn) -> None:
    path = stand_in(program, output=f"{program} 19.1\n", makes=False).path
    assert found(name) == _toolchains.Found(path=str(path), version=f"{program} 19.1")


def test_the_compiler_is_the_first_word_of_cxx(stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    path = stand_in("ccache", output="ccache version 4.11\n", makes=False).path
    monkeypatch.setenv("CXX", "ccache g++")
    assert found("c++") == _toolchains.Found(path=str(path), version="ccache version 4.11")


def test_the_ndk_is_what_its_variable_names(stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    path = stand_in("aarch64-linux-android24-clang", output="Android clang version 18\n", makes=False).path
    monkeypatch.setenv("TVM_NDK_CC", str(path))
    assert found("ndk-clang") == _toolchains.Found(path=str(path), version="Android clang version 18")


def test_is_here_asks_for_one_tool(stand_in: MakeStandIn) -> None:
    assert not _toolchains.is_here("emcc")
    stand_in("emcc", output="emcc 3.1.69\n", makes=False)
    assert _toolchains.is_here("emcc")


def test_names_are_unique() -> None:
    names = [tool.name for tool in _toolchains.TOOLS]
    assert len(names) == len(set(names))
