from typing import Any

import pytest

from tvm.error import ArgumentError, ArgumentTypeError
from tvm.ir import Call, Expr, Op, PointerType, PrimType, Var
from tvm.ir.structural import structural_equal
from tvm.script import tirx as tx

P = Var("p", PointerType(PrimType("float16"), "shared"))
LDMATRIX = (True, 4, ".b16", P, 0, P, 8)
MMA = ("m16n8k16", "row", "col", "fp16", "fp16", "fp32", P, 0, P, 0, P, 0, False)


def call(made: Expr) -> tuple[str, str, tuple[Expr, ...]]:
    assert isinstance(made, Call)
    assert isinstance(made.op, Op)
    return made.op.name, made.dtype, made.args


class TestLdmatrix:
    def test_a_data_type_may_come_first(self) -> None:
        name, dtype, args = call(tx.ptx_legacy.ldmatrix("float16", *LDMATRIX))
        assert (name, dtype, len(args)) == ("tirx.ptx_legacy.ldmatrix", "float16", 7)

    def test_as_a_keyword_it_is_the_same(self) -> None:
        ldmatrix: Any = tx.ptx_legacy.ldmatrix
        assert structural_equal(ldmatrix(*LDMATRIX, dtype="float16"), ldmatrix("float16", *LDMATRIX))

    def test_without_one_nothing_is_given(self) -> None:
        name, dtype, args = call(tx.ptx_legacy.ldmatrix(*LDMATRIX))
        assert (name, dtype, len(args)) == ("tirx.ptx_legacy.ldmatrix", "void", 7)

    @pytest.mark.parametrize("count", [0, 6, 9])
    def test_another_number_of_arguments_is_an_error(self, count: int) -> None:
        with pytest.raises(ArgumentTypeError, match=f"takes 7 arguments, or 8 with the data type first, not {count}"):
            tx.ptx_legacy.ldmatrix(*([0] * count))

    def test_the_number_of_matrices_is_one_of_three(self) -> None:
        with pytest.raises(ArgumentError, match=r"Tx.ptx_legacy.ldmatrix: num must be one of 1, 2, 4, not 3"):
            tx.ptx_legacy.ldmatrix(True, 3, ".b16", P, 0, P, 8)  # noqa: FBT003 - the legacy form


class TestMma:
    def test_thirteen_arguments_give_nothing(self) -> None:
        name, dtype, args = call(tx.ptx_legacy.mma(*MMA))
        assert (name, dtype, len(args)) == ("tirx.ptx_legacy.mma", "void", 13)

    def test_a_data_type_may_come_first(self) -> None:
        _, dtype, args = call(tx.ptx_legacy.mma("float32", *MMA))
        assert dtype == "float32"
        assert structural_equal(args, call(tx.ptx_legacy.mma(*MMA))[2])

    def test_the_operator_comes_last_or_by_name(self) -> None:
        assert len(call(tx.ptx_legacy.mma(*MMA, "xor"))[2]) == 14
        assert structural_equal(
            tx.ptx_legacy.mma("int32", *MMA, "xor"), tx.ptx_legacy.mma("int32", *MMA, operator="xor")
        )

    @pytest.mark.parametrize("given", [(), MMA[:-1], ("float32", *MMA, "xor", 1)])
    def test_another_number_of_arguments_is_an_error(self, given: tuple[object, ...]) -> None:
        with pytest.raises(ArgumentTypeError, match=f"takes 13 arguments .* not {len(given)}"):
            tx.ptx_legacy.mma(*given)

    def test_the_operator_is_not_given_twice(self) -> None:
        with pytest.raises(ArgumentTypeError, match="multiple values for argument 'operator'"):
            tx.ptx_legacy.mma("int32", *MMA, "xor", operator="and")


class TestCpAsync:
    def test_six_arguments(self) -> None:
        name, dtype, args = call(tx.s_tir.cp_async_raw("float16", P, 0, P, 8, 16))
        assert (name, dtype, len(args)) == ("tirx.s_tir.cp_async_raw", "float16", 5)

    @pytest.mark.parametrize("given", [(), (P, 0, P, 8, 16), (P, 0, P, 8, 16, 1), ("float16", P, 0, P, 8, 16, 1)])
    def test_any_other_form_is_an_error_that_names_the_ptx_form(self, given: tuple[object, ...]) -> None:
        with pytest.raises(ArgumentTypeError, match=r"six arguments that begin with the data type(.|\n)*Tx\.ptx\.cp"):
            tx.s_tir.cp_async_raw(*given)

    def test_no_size_but_those_of_the_instruction(self) -> None:
        with pytest.raises(ArgumentError, match="cp_size must be one of 4, 8, 16, not 12"):
            tx.s_tir.cp_async_raw("float16", P, 0, P, 8, 12)

    def test_legacy_counts_bytes_unless_told(self) -> None:
        legacy: Any = tx.s_tir.cp_async_raw.legacy
        assert structural_equal(legacy(P, 0, P, 8, 16), tx.s_tir.cp_async_raw("int8", P, 0, P, 8, 16))
        assert structural_equal(legacy(P, 0, P, 8, 16, dtype="float16"), legacy("float16", P, 0, P, 8, 16))
        with pytest.raises(ArgumentTypeError, match="takes 5 arguments, or 6 with the data type first, not 4"):
            legacy(P, 0, P, 8)
