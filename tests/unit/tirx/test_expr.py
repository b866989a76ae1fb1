import pytest

from tvm.ir import ConversionError, IntImm, Var
from tvm.tirx.expr import BitwiseAnd


def test_both_operands_have_one_type() -> None:
    both = BitwiseAnd(Var("x", "uint32"), IntImm("uint32", 7))
    assert both.dtype == "uint32"
    assert BitwiseAnd(1, 2).dtype == "int32"


def test_two_types_are_refused() -> None:
    with pytest.raises(ConversionError, match="BitwiseAnd of two types: uint32 and int32"):
        BitwiseAnd(Var("x", "uint32"), 7)
