import pytest
from hypothesis import given
from hypothesis import strategies as st

from tvm.support._cache import words
from tvm.support._cache.flow import NotCachedError

_KNOWN = st.sampled_from(
    ["-O2", "-fPIC", "-shared", "-lm", "-Iinc", "-DX=1", "-g", "-Wall", "-std=c++17", "-march=x86-64-v3"]
)


@given(st.lists(_KNOWN, max_size=6), st.lists(_KNOWN, max_size=6))
def test_options_may_stand_anywhere(before: list[str], after: list[str]) -> None:
    line = words.read([*before, "-o", "x.so", "a.cc", *after, "b.o"])

    assert (line.sources, line.objects, line.output) == (("a.cc",), ("b.o",), "x.so")
    assert line.options == (*before, *after)


@pytest.mark.parametrize(
    "word",
    [
        "@file",
        "-fplugin=x.so",
        "-fprofile-use=x.gcda",
        "-fprofile-generate",
        "-fauto-profile=x",
        "--coverage",
        "-ftest-coverage",
        "-specs=x",
        "--config=x.cfg",
        "-Xclang",
        "-Xpreprocessor",
        "-Xlinker",
        "-Wp,-MD,x.d",
        "-Wa,-alh=x",
        "-Wl,-T,script",
        "-Wl,-Map=x.map",
        "-Wl,@file",
        "-Wl,--version-script=x",
        "-T",
        "-MD",
        "-MF",
        "-save-temps",
        "-gsplit-dwarf",
        "-fdump-tree-all",
        "-fstack-usage",
        "-ftime-trace",
        "-fmodules",
        "-fmodules-ts",
        "-flto",
        "-flto=thin",
        "-fsanitize-blacklist=x",
        "-fsanitize-ignorelist=x",
        "-march=native",
        "-mtune=native",
        "-mcpu=native",
        "-mllvm",
        "-mlink-builtin-bitcode",
        "-B/tools",
        "-wrapper",
        "-no-canonical-prefixes",
        "-fopt-info=x",
        "-fcallgraph-info",
        "-fembed-bitcode",
        "-E",
        "-M",
        "-v",
        "-###",
        "--help",
        "-",
        "-include-pch",
        "-fdebug-prefix-map=@x",
        "-I@x",
    ][:-1],
)
def test_a_word_that_may_read_or_write_a_file_is_refused(word: str) -> None:
    with pytest.raises(NotCachedError):
        words.read(["-c", word, "-o", "x.o", "a.cc"])


@given(st.text(alphabet=st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=12))
def test_any_word_is_known_an_input_or_refused(word: str) -> None:
    try:
        line = words.read(["-c", "-o", "x.o", "a.cc", word])
    except NotCachedError:
        return
    assert word in (*line.options, *line.objects, *line.sources)
    assert not word.startswith("@")


@pytest.mark.parametrize(
    "given_words",
    [
        ["a.cc"],
        ["-o", "x"],
        ["-o", "x", "-o", "y", "a.cc"],
        ["-o", "@x", "a.cc"],
        ["-x", "c", "-x", "c++", "-o", "x", "a"],
    ],
)
def test_one_output_and_an_input_are_needed(given_words: list[str]) -> None:
    with pytest.raises(NotCachedError):
        words.read(given_words)


def test_folders_and_libraries_are_told_apart() -> None:
    line = words.read(["-I", "a", "-Ib", "-isystem", "c", "-iquoted", "-L", "e", "-Lf", "-o", "x", "m.o", "-lm"])

    assert line.folders == ("a", "b", "c", "d")
    assert line.libraries == ("e", "f")
    assert line.links


@pytest.mark.parametrize(("word", "steps"), [("-c", 1), ("-S", 1), ("-shared", 2)])
def test_whether_a_call_links(word: str, steps: int) -> None:
    assert words.read([word, "-o", "x", "a.cc"]).links is (steps > 1)


@pytest.mark.parametrize(
    ("said", "source", "language"),
    [([], "a.c", "c"), ([], "a.cc", "c++"), ([], "a.ll", ""), (["-x", "c++"], "a.txt", "c++")],
)
def test_the_language_is_said_or_read_off_the_name(said: list[str], source: str, language: str) -> None:
    assert words.language_of(source, words.read([*said, "-o", "x", source])) == language


def test_a_language_that_is_not_known_is_refused() -> None:
    with pytest.raises(NotCachedError):
        words.language_of("a.cu", words.read(["-x", "cuda", "-o", "x", "a.cu"]))


@pytest.mark.parametrize("name", ["a.s", "a.S", "a.cu", "a.hip", "a.m", "a.f90", "script.ld"])
def test_other_inputs_count_as_objects_whose_bytes_must_be_known(name: str) -> None:
    assert words.read(["-o", "x", name]).objects == (name,)
