from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tvm.support._cuda import options
from tvm.support._cuda.settings import Settings

_PLAIN = Settings(dump=None, debug=False, register_level=10, ptxas=(), nvrtc=(), nvcc=())


@pytest.mark.parametrize(
    ("given_options", "expected"),
    [
        (None, ()),
        ("-lineinfo", ("-lineinfo",)),
        ("-Xptxas -v -DA='b c'", ("-Xptxas", "-v", "-DA=b c")),
        (["-Xptxas", "-v"], ("-Xptxas", "-v")),
        (("-rdc true", "-DA=b c"), ("-rdc", "true", "-DA=b c")),
        (["-I /a b"], ("-I", "/a b")),
    ],
)
def test_options_are_a_str_or_a_list(given_options: str | list[str] | None, expected: tuple[str, ...]) -> None:
    assert options.words(given_options) == expected


@pytest.mark.parametrize("wrong", [3, [1], {"-a": 1}, "-D'x", [Path("x")]])
def test_anything_else_is_an_error(wrong: object) -> None:
    with pytest.raises(ValueError, match="options"):
        options.words(wrong)  # type: ignore[arg-type]  # the wrong type is the point


@given(st.lists(st.from_regex(r"-{1,2}[a-z]{1,8}(=[a-z0-9]{1,4})?", fullmatch=True)))
def test_single_words_stay_as_they_are(given_words: list[str]) -> None:
    assert options.words(given_words) == tuple(given_words)


@pytest.mark.parametrize(
    "given_words",
    [
        ["-o", "x"],
        ["-c"],
        ["-O3"],
        ["-O", "3"],
        ["-g"],
        ["-Xcompiler", "-fPIC"],
        ["--compiler-options=-Wall"],
        ["-Xlinker", "-s"],
        ["-Xarchive", "x"],
        ["-Xcudafe", "--diag_suppress=1"],
        ["-ccbin", "g++-13"],
        ["-L", "lib", "-lfoo", "-L/x", "-l", "bar"],
        ["-fPIC", "-shared", "--shared"],
        ["--expt-relaxed-constexpr", "-expt-extended-lambda", "--extended-lambda"],
        ["--keep", "--keep-dir", "d", "--keep-dir=d"],
        ["-t", "4", "--threads=4", "-t0"],
        ["-x", "cu"],
        ["-m64", "-m", "64"],
        ["-Werror", "all-warnings"],
        ["-Wno-deprecated-gpu-targets"],
        ["-allow-unsupported-compiler"],
        ["-MMD", "-MF", "x.d"],
        ["--opt-info", "inline"],
        ["--cudart=static"],
    ],
)
def test_options_of_nvcc_alone_are_left_out_with_their_values(given_words: list[str]) -> None:
    assert options.for_nvrtc([*given_words, "-lineinfo"]) == ("-lineinfo",)


@pytest.mark.parametrize(
    "given_words",
    [
        ["-lineinfo"],
        ["-G"],
        ["-w"],
        ["--std=c++20"],
        ["-I", "dir"],
        ["-Idir"],
        ["-D", "A=1"],
        ["-maxrregcount", "32"],
        ["-rdc=true"],
        ["-rdc", "true"],
        ["--use_fast_math"],
        ["--fmad=false"],
        ["-diag-suppress", "177"],
        ["--extra-device-vectorization"],
        ["-dc"],
        ["-include", "x.h"],
    ],
)
def test_options_of_both_stay(given_words: list[str]) -> None:
    assert options.for_nvrtc(given_words) == tuple(given_words)


@pytest.mark.parametrize(
    ("given_words", "expected"),
    [
        (["-Xptxas", "-v,-O2"], ("--ptxas-options=-v", "--ptxas-options=-O2")),
        (["--ptxas-options=-v"], ("--ptxas-options=-v",)),
        (["-std", "c++20"], ("--std=c++20",)),
        (["--std=c++20"], ("--std=c++20",)),
        (["-isystem", "dir"], ("-I", "dir")),
        (["-isystem=dir"], ("-I", "dir")),
    ],
)
def test_options_that_nvrtc_spells_otherwise_are_respelled(given_words: list[str], expected: tuple[str, ...]) -> None:
    assert options.for_nvrtc(given_words) == expected


@pytest.mark.parametrize("word", ["-o", "-Xcompiler", "-Xptxas", "-isystem", "-std"])
def test_a_value_that_is_missing_ends_nothing(word: str) -> None:
    assert "-lineinfo" in options.for_nvrtc(["-lineinfo", word])


def test_both_compilers_get_operators_and_one_option_for_ptxas_each() -> None:
    words = options.common(_PLAIN, fast_math=False)

    assert "-U__CUDA_NO_HALF_OPERATORS__" in words
    assert words[-3:] == (
        "--ptxas-options=-v",
        "--ptxas-options=--register-usage-level=10",
        "--ptxas-options=--warn-on-local-memory-usage",
    )
    assert "--use_fast_math" not in words


def test_fast_math_and_extra_words_for_ptxas() -> None:
    settings = Settings(dump=None, debug=False, register_level=3, ptxas=("--a", "--b"), nvrtc=(), nvcc=())

    words = options.common(settings, fast_math=True)

    assert "--use_fast_math" in words
    assert "--ptxas-options=--register-usage-level=3" in words
    assert words[-2:] == ("--ptxas-options=--a", "--ptxas-options=--b")


def test_a_debug_build_has_no_register_level() -> None:
    """Ptxas warns about the two together."""
    settings = Settings(dump=None, debug=True, register_level=10, ptxas=(), nvrtc=(), nvcc=())

    assert not any("register-usage-level" in word for word in options.common(settings, fast_math=False))
    assert options.observed(settings) == ("-G",)


def test_a_dumped_kernel_shows_its_lines() -> None:
    settings = Settings(dump=Path("d"), debug=False, register_level=10, ptxas=(), nvrtc=(), nvcc=())

    assert options.observed(settings) == ("-lineinfo",)
    assert options.observed(_PLAIN) == ()
