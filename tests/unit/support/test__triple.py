from tests.unit.stand_in import MakeStandIn
from tvm.support._triple import ask


def test_the_triple_keeps_its_newline(stand_in: MakeStandIn) -> None:
    gcc = stand_in("gcc", output="x86_64-linux-gnu\n")

    assert ask(["gcc", "-m32"]) == "x86_64-linux-gnu\n"
    assert gcc.calls == [["-m32", "-dumpmachine"]]


def test_a_warning_beside_the_triple_is_passed_over(stand_in: MakeStandIn) -> None:
    stand_in("clang", output="clang: warning: argument unused: '-x'\nwasm32-unknown-unknown\n")

    assert ask(["clang"]) == "wasm32-unknown-unknown\n"


def test_a_compiler_that_fails_has_no_triple(stand_in: MakeStandIn) -> None:
    stand_in("nvcc", output="x86_64-linux-gnu\n", code=1)

    assert ask(["nvcc"]) is None


def test_a_compiler_that_says_nothing_has_no_triple(stand_in: MakeStandIn) -> None:
    stand_in("tcc")

    assert ask(["tcc"]) is None


def test_a_compiler_that_is_not_there_has_no_triple() -> None:
    assert ask(["no-such-compiler"]) is None
