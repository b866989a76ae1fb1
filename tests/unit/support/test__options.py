import pytest
from hypothesis import given
from hypothesis import strategies as st

from tvm.support._options import arrange, for_compiling, is_source, links

_OPTIONS = st.lists(
    st.sampled_from(
        [
            "-O2",
            "-lm",
            "-l",
            "m",
            "-L.",
            "-Wl,--as-needed",
            "-Xlinker",
            "-x",
            "c",
            "libx.a",
            "-Xclang",
            "-load",
            "-I",
            "inc",
        ]
    )
)


@given(_OPTIONS)
def test_arrange_loses_nothing_and_keeps_the_order_in_each_part(options: list[str]) -> None:
    front, back = arrange(options)

    assert sorted([*front, *back]) == sorted(options)
    for part in (front, back):
        rest = iter(options)
        assert all(word in rest for word in part)


@given(_OPTIONS)
def test_what_compiles_stands_in_front_in_the_same_order(options: list[str]) -> None:
    rest = iter(arrange(options)[0])

    assert all(word in rest for word in for_compiling(options))


@pytest.mark.parametrize(
    "options", [[], ["-O2", "-Wl,--whole-archive"], ["-x", "c"], ["-Xclang", "-load", "-Xclang", "p.so"]]
)
def test_without_a_library_every_option_stays_in_front(options: list[str]) -> None:
    assert arrange(options) == (tuple(options), ())


@pytest.mark.parametrize(
    "library",
    [
        ["-lm"],
        ["-l", "m"],
        ["libx.a"],
        ["dir/libx.so.1.2"],
        ["-framework", "Metal"],
        ["-Wl,-lm"],
        ["-Wl,-Bstatic,libx.a"],
        ["-Xlinker", "-lm"],
        ["extra.c"],
    ],
)
def test_what_names_an_input_follows_the_objects(library: list[str]) -> None:
    assert arrange(["-O2", *library, "-g"]) == (("-O2", "-g"), tuple(library))


def test_linker_options_go_with_the_libraries_they_act_on() -> None:
    options = ["-O2", "-L", "lib", "-Wl,--whole-archive", "-lx", "-Wl,--no-whole-archive", "-shared"]

    assert arrange(options) == (("-O2",), tuple(options[1:]))


def test_only_options_of_the_compiler_matter_when_compiling() -> None:
    options = ["-O2", "-I", "inc", "-shared", "-L.", "-lm", "-z", "defs", "-Wl,-s", "--ld-path=lld", "-fPIC"]

    assert for_compiling(options) == ("-O2", "-I", "inc", "-fPIC")


@pytest.mark.parametrize("option", ["-c", "-S", "-E", "-M", "-MM", "-xc", "-x", "-fsyntax-only"])
def test_an_option_that_stops_before_linking_or_sets_the_language_is_seen(option: str) -> None:
    assert not links(["-O2", option])


@pytest.mark.parametrize("options", [[], ["-MMD"], ["-MF", "-c"], ["-std=c++17", "-Xclang", "-c"]])
def test_a_call_that_links_is_seen(options: list[str]) -> None:
    assert links(options)


@pytest.mark.parametrize(
    ("file", "expected"), [("a.c", True), ("d/a.CC", True), ("a.cpp", True), ("a.o", False), ("c", False)]
)
def test_sources_are_told_by_their_suffix(file: str, expected: bool) -> None:  # noqa: FBT001 - a parameter of the test
    assert is_source(file) is expected
