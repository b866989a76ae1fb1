"""Facts of single members; what all share is in tests/unit/backends/test_members.py."""

import pytest

from tests.unit.backends.arguments import Event
from tvm.error import ArgumentError
from tvm.ir import Call, Expr, Op, PointerType, PrimType, StringImm, Var, convert
from tvm.ir.structural import structural_equal
from tvm.script import tirx as tx

P = Var("p", PointerType(PrimType("float32"), "shared"))
X = Var("x", "float16")


def name(made: Expr) -> str:
    assert isinstance(made, Call)
    assert isinstance(made.op, Op)
    return made.op.name


@pytest.mark.parametrize("op", ["sum", "max", "min"])
def test_a_reduction_by_name_is_the_general_one(op: str) -> None:
    assert structural_equal(getattr(tx.cuda, f"warp_{op}")(X), tx.cuda.warp_reduce(X, op, 32))  # type: ignore[arg-type] # one of three
    assert structural_equal(getattr(tx.cuda, f"cta_{op}")(X, 4, P), tx.cuda.cta_reduce(X, op, 4, P))  # type: ignore[arg-type] # one of three


@pytest.mark.parametrize("width", [0, 1, 3, 64])
def test_the_lanes_of_a_reduction_are_a_power_of_two(width: int) -> None:
    with pytest.raises(ArgumentError, match=f"Tx.cuda.warp_sum: width must be a power of two of 2 to 32, not {width}"):
        tx.cuda.warp_sum(X, width)


def test_a_result_has_the_type_of_the_value() -> None:
    assert tx.cuda.warp_sum(X).dtype == "float16"
    assert tx.cuda.atomic_add(P, 1.5).dtype == "float32"
    assert tx.cuda.atomic_cas(P, Var("old", "uint64"), 1).dtype == "uint64"
    assert tx.cuda.__shfl_sync(0xFFFFFFFF, X, 0, 32).dtype == "float16"


@pytest.mark.parametrize("bits", [32, 64])
def test_a_special_register_is_read_as_wide_as_told(bits: int) -> None:
    assert tx.cuda.mov_sreg(bits, "clusterid.x").dtype == f"int{bits}"  # type: ignore[arg-type] # one of two


def test_numbers_become_constants_of_the_smallest_type() -> None:
    made = tx.cuda.any_sync(0xFFFFFFFF, True)  # noqa: FBT003 - a predicate
    assert isinstance(made, Call)
    assert [arg.dtype for arg in made.args] == ["int64", "bool"]


def test_what_a_timer_writes_names_its_event_by_number() -> None:
    made = tx.cuda.timer_start(Event.STORE, P, P, P, 1, True)  # noqa: FBT003 - a condition
    assert name(made) == "tirx.timer_start_cuda"
    assert isinstance(made, Call)
    assert structural_equal(made.args[0], convert(7))


def test_mma_fill_gives_its_data_type_and_holds_the_rest() -> None:
    made = tx.cuda.mma_fill("float32", 8, P, 0)
    assert (name(made), made.dtype) == ("tirx.mma_fill", "float32")
    assert structural_equal(tx.cuda.mma_fill(dtype="float32", local_size=8, local_ptr=P, offset=0), made)


def test_dtype_is_no_news_to_a_member_that_has_a_type() -> None:
    assert structural_equal(tx.cuda.warp_sum(X, dtype="float16"), tx.cuda.warp_sum(X))  # type: ignore[call-arg] # scripts do so


def test_an_event_of_the_trace_may_have_no_payload() -> None:
    made, paid = tx.cuda.iket.mark("load"), tx.cuda.iket.mark("load", 3)
    assert isinstance(made, Call)
    assert isinstance(paid, Call)
    assert structural_equal(made.args, (StringImm("load"),))
    assert structural_equal(paid.args, (StringImm("load"), convert(3)))
    assert name(made) == "tirx.cuda.iket_mark"


def test_a_descriptor_takes_everything_by_name_but_its_place() -> None:
    options = {
        "d_dtype": "float32",
        "a_dtype": "bf16",
        "b_dtype": ".bf16",
        "M": 128,
        "N": 256,
        "K": 16,
        "trans_a": False,
        "trans_b": True,
    }
    made = tx.cuda.tcgen05.encode_instr_descriptor(P, **options)  # type: ignore[arg-type] # of several types
    assert isinstance(made, Call)
    assert len(made.args) == 14
    with pytest.raises(ArgumentError, match="n_cta_groups must be one of 1, 2, not 3"):
        tx.cuda.tcgen05.encode_instr_descriptor(P, **options, n_cta_groups=3)  # type: ignore[arg-type] # what is tested


def test_a_named_barrier_is_one_of_sixteen() -> None:
    assert tx.cuda.warpgroup_sync(Var("number"))
    with pytest.raises(ArgumentError, match="bar_no must be 0 to 15, not 16"):
        tx.cuda.warpgroup_sync(16)
