import pickle
from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.registries import undone
from tvm.error import RegistryError
from tvm.ir import (
    Call,
    ConversionError,
    Expr,
    FloatImm,
    IntImm,
    Op,
    PointerType,
    PrimType,
    Span,
    StringImm,
    Var,
    convert,
    register_op,
    structural_equal,
)

NOTHING = Op("tirx.tests.nothing")


class TestConversion:
    @pytest.mark.parametrize(
        ("value", "dtype"),
        [
            (True, "bool"),
            (0, "int32"),
            (-(2**31), "int32"),
            (2**31, "int64"),
            (-(2**31) - 1, "int64"),
            (2**63, "uint64"),
            (1.5, "float32"),
            ("text", "string"),
        ],
    )
    def test_a_python_value_gets_a_type(self, value: object, dtype: str) -> None:
        constant = convert(value)
        assert isinstance(constant, (IntImm, FloatImm, StringImm))
        assert (constant.dtype, constant.value) == (dtype, value)

    @given(st.integers(-(2**63), 2**64 - 1))
    def test_every_integer_of_64_bits_is_kept(self, value: int) -> None:
        constant = convert(value)
        assert isinstance(constant, IntImm)
        assert constant.value == value

    def test_an_expression_stays(self) -> None:
        var = Var("x")
        assert convert(var) is var

    def test_what_holds_a_pointer_gives_it(self) -> None:
        class Buffer:
            data = Var("data", "handle")

        assert convert(Buffer()) is Buffer.data

    @pytest.mark.parametrize("value", [None, object(), [1], 1j, 2**64])
    def test_anything_else_is_refused(self, value: object) -> None:
        with pytest.raises(ConversionError):
            convert(value)


class TestConstants:
    @pytest.mark.parametrize(
        ("dtype", "value"), [("int8", 128), ("uint8", -1), ("bool", 2), ("float32", 1), ("int32x4", 1)]
    )
    def test_an_integer_that_its_type_cannot_hold(self, dtype: str, value: int) -> None:
        with pytest.raises(ConversionError):
            IntImm(dtype, value)

    @pytest.mark.parametrize("dtype", ["int32", "bool", "float32x4"])
    def test_a_float_of_another_type(self, dtype: str) -> None:
        with pytest.raises(ConversionError, match="no floating-point type of one lane"):
            FloatImm(dtype, 1.0)


class TestCalls:
    def test_arguments_become_expressions(self) -> None:
        call = Call(NOTHING, [1, 2.0, "x"], ret_ty="int32")
        assert [arg.dtype for arg in call.args] == ["int32", "float32", "string"]
        assert (call.dtype, call.ty) == ("int32", PrimType("int32"))

    def test_the_result_may_be_a_pointer_or_nothing(self) -> None:
        assert Call(NOTHING).dtype == "void"
        assert Call(NOTHING, ret_ty="handle").ty == PointerType()

    def test_an_operation_is_found_by_its_name(self) -> None:
        with undone():
            register_op(NOTHING)
            assert Call("tirx.tests.nothing").op is NOTHING

    def test_an_unknown_operation(self) -> None:
        with pytest.raises(RegistryError, match=r"'tirx\.tests\.absent' is not an operation"):
            Call("tirx.tests.absent")

    def test_it_survives_pickling(self) -> None:
        call = Call(NOTHING, [1, Call(NOTHING, ["x"])], attrs={"a": 1}, span=Span(file="f.py", line=1, column=2))
        copy = pickle.loads(pickle.dumps(call))  # noqa: S301 - its own bytes
        assert structural_equal(copy, call)
        assert copy.span == call.span


def test_nodes_do_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        Var("x").name = "y"  # type: ignore[misc] # that it is refused is the point


def test_two_nodes_are_equal_only_if_they_are_one() -> None:
    one, two = Var("x"), Var("x")
    assert one == one  # noqa: PLR0124 - identity is the point
    assert one != two
    assert len({one, two}) == 2


def test_where_a_node_came_from_is_not_shown() -> None:
    spans: list[Expr] = [IntImm("int32", 1, span=Span(file="f", line=1, column=1))]
    assert "span" not in repr(spans)
