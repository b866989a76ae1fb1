"""Facts of single members; what all share is in tests/unit/backends/test_members.py."""

import pytest

from tvm.error import ArgumentError
from tvm.ir import Call, Op, Var
from tvm.script import tirx as tx

D = Var("d", "handle")


def test_a_matrix_has_eight_rows_and_columns() -> None:
    made = tx.metal.make_filled_simdgroup_matrix(D, 0, 1.0)
    assert isinstance(made, Call)
    assert isinstance(made.op, Op)
    assert (made.op.name, made.op.script_name) == (
        "tirx.make_filled_simdgroup_matrix",
        "metal.make_filled_simdgroup_matrix",
    )
    assert len(made.args) == 5
    with pytest.raises(ArgumentError, match="col must be one of 8, not 16"):
        tx.metal.make_filled_simdgroup_matrix(D, 0, 1.0, 16)  # type: ignore[arg-type] # what is tested


def test_a_shuffle_gives_what_it_is_given() -> None:
    assert tx.metal.simd_shuffle(Var("x", "float16"), 3).dtype == "float16"
