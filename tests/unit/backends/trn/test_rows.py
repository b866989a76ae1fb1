"""Facts of single members; what all share is in tests/unit/backends/test_members.py."""

import pytest

from tvm.error import ArgumentError, ArgumentTypeError
from tvm.ir import Call, IntImm, Var, convert
from tvm.ir.structural import structural_equal
from tvm.script import tirx as tx

A, B = Var("a", "float32"), Var("b", "float32")


def test_defaults_are_part_of_the_call() -> None:
    made = tx.nki.activation(A, B, "exp")
    assert isinstance(made, Call)
    assert structural_equal(made.args[3:], (convert(0.0), convert(1.0)))


def test_axes_come_last() -> None:
    made = tx.nki.tensorreduce(A, B, "add", False, 1, 2)  # noqa: FBT003 - the seed's signature
    assert isinstance(made, Call)
    assert [arg.value for arg in made.args[-2:] if isinstance(arg, IntImm)] == [1, 2]


def test_a_function_is_no_operator() -> None:
    """Source: NKI API: exp and sqrt are activation functions, add is an operator of the vector engine."""
    with pytest.raises(ArgumentError, match="opcode must be one of 'add', 'sub', 'mul', 'max', 'min', not 'exp'"):
        tx.nki.tensortensor(A, A, B, "exp")  # type: ignore[arg-type] # what is tested
    with pytest.raises(ArgumentError, match="opcode must be one of 'exp', 'sqrt', not 'add'"):
        tx.nki.activation(A, B, "add")  # type: ignore[arg-type] # what is tested


def test_a_constant_cannot_be_written() -> None:
    with pytest.raises(ArgumentTypeError, match=r"Tx.nki.load: res must be an element of a buffer, not 1"):
        tx.nki.load(1, A)  # type: ignore[arg-type] # what is tested
