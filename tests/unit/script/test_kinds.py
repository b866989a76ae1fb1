from dataclasses import dataclass
from typing import Any

import pytest

from tvm.error import ArgumentError, ArgumentTypeError
from tvm.ir import Expr, FloatImm, IntImm, PointerType, PrimType, StringImm, Var, convert
from tvm.ir.structural import structural_equal
from tvm.script import kinds

POINTER = Var("p", PointerType(PrimType("int8"), "local"))
X = Var("x", "float32")


@dataclass(frozen=True)
class Buffer:
    data: Expr


def take(kind: kinds.Kind, given: object) -> Any:
    return kind.convert(given, "Tx.a.b: c")


class TestTaken:
    @pytest.mark.parametrize(
        ("given", "made"),
        [
            (1, IntImm("int32", 1)),
            (2**40, IntImm("int64", 2**40)),
            (0.5, FloatImm("float32", 0.5)),
            (True, IntImm("bool", 1)),
        ],
    )
    def test_a_number_is_a_constant(self, given: object, made: Expr) -> None:
        assert structural_equal(take(kinds.value(), given), made)

    def test_an_expression_stays(self) -> None:
        assert take(kinds.value(), X) is X
        assert take(kinds.element(), X) is X
        assert take(kinds.integer_value(0, 1), X) is X

    def test_a_buffer_is_its_pointer(self) -> None:
        for kind in (kinds.pointer(), kinds.value()):
            assert take(kind, Buffer(POINTER)) is POINTER

    def test_text_may_be_a_constant(self) -> None:
        assert take(kinds.text(), StringImm("a")).value == take(kinds.text(), "a").value == "a"
        assert take(kinds.any_value(), "a").value == "a"

    @pytest.mark.parametrize("given", ["float16", PrimType("float16"), StringImm("float16")])
    def test_a_type_is_held_by_name(self, given: object) -> None:
        assert take(kinds.dtype(), given).value == take(kinds.result_type(), given).value == "float16"

    @pytest.mark.parametrize("name", ["void", "handle"])
    def test_a_result_may_be_nothing_or_a_pointer(self, name: str) -> None:
        assert take(kinds.result_type(), name).value == name

    def test_an_integer_may_be_a_constant(self) -> None:
        assert take(kinds.integer(), IntImm("uint8", 3)).value == 3
        assert take(kinds.one(3, 4), IntImm("uint8", 3)).value == 3
        assert take(kinds.power_of_two(1, 32), IntImm("int32", 8)).value == 8

    def test_a_flag_is_a_bool(self) -> None:
        assert take(kinds.flag(), IntImm("int32", 1)).dtype == take(kinds.flag(), IntImm("bool", 0)).dtype == "bool"

    def test_anything_passes_as_it_is(self) -> None:
        given = object()
        assert take(kinds.any_object(), given) is given


WRONG_TYPES = [
    (kinds.value(), None, "an expression or a number, not None"),
    (kinds.value(), "1", "an expression or a number, not '1'"),
    (kinds.value(), [1], "an expression or a number, not a list"),
    (kinds.any_value(), [1], "an expression, a number or text, not a list"),
    (kinds.pointer(), 0, "a pointer: a buffer, .* not 0"),
    (kinds.pointer(), X, "not an expression of type float32"),
    (kinds.pointer(), Buffer(X), "not a Buffer"),
    (kinds.element(), 1, "an element of a buffer, not 1"),
    (kinds.element(), convert("a"), "an element of a buffer, not 'a'"),
    (kinds.text(), 1, "text that is known when the kernel is built, not 1"),
    (kinds.integer(), True, "an integer that is known when the kernel is built, not True"),
    (kinds.integer(), IntImm("bool", 1), "an integer that is known when the kernel is built, not 1"),
    (kinds.integer(), X, "not an expression of type float32"),
    (kinds.integer(), 1.0, "not 1.0"),
    (kinds.integer_value(0, 1), 0.5, "an integer expression, not 0.5"),
    (kinds.power_of_two(1, 2), "1", "not '1'"),
    (kinds.one("a", "b"), 1, "one of 'a', 'b' that is known when the kernel is built, not 1"),
    (kinds.one(1, 2), "1", "an integer that is known when the kernel is built, not '1'"),
    (kinds.flag(), 1, "True or False, not 1"),
    (kinds.flag(), IntImm("int32", 2), "True or False, not 2"),
    (kinds.dtype(), 1, "the name of a type that is known when the kernel is built, not 1"),
]
WRONG_VALUES = [
    (kinds.identifier(), "if", "a name of C: letters, digits and _, not 'if'"),
    (kinds.identifier(), "größe", "a name of C"),
    (kinds.integer(1), 0, "at least 1, not 0"),
    (kinds.integer(None, 1), 2, "at most 1, not 2"),
    (kinds.integer(1, 3), 4, "1 to 3, not 4"),
    (kinds.integer_value(0, 15), 16, "0 to 15, not 16"),
    (kinds.power_of_two(2, 32), 3, "a power of two of 2 to 32, not 3"),
    (kinds.power_of_two(2, 32), 64, "a power of two of 2 to 32, not 64"),
    (kinds.power_of_two(2, 32), 0, "a power of two of 2 to 32, not 0"),
    (kinds.one("a", "b"), "c", "one of 'a', 'b', not 'c'"),
    (kinds.one(1, 2), 3, "one of 1, 2, not 3"),
    (kinds.dtype(), "void", "a data type of values, not 'void'"),
    (kinds.dtype(), "flaot32", "the name of a type, not 'flaot32'\nfix: did you mean float32"),
    (kinds.result_type(), "tensor", "the name of a type, not 'tensor'"),
]


@pytest.mark.parametrize(("kind", "given", "message"), WRONG_TYPES)
def test_a_wrong_type_says_what_is_wanted(kind: kinds.Kind, given: object, message: str) -> None:
    with pytest.raises(ArgumentTypeError, match=f"Tx.a.b: c must be .*{message}"):
        take(kind, given)


@pytest.mark.parametrize(("kind", "given", "message"), WRONG_VALUES)
def test_a_wrong_value_says_what_is_wanted(kind: kinds.Kind, given: object, message: str) -> None:
    with pytest.raises(ArgumentError, match=f"Tx.a.b: c must be {message}"):
        take(kind, given)


def test_kinds_are_found_by_the_names_that_rows_have() -> None:
    assert kinds.KINDS["one"] is kinds.one
    assert kinds.KINDS["power_of_two"](1, 4).stub == "int"
    assert kinds.KINDS["one"]("a", 'b"').stub == 'Literal["a", "b\\""]'
