import inspect

import pytest

from tvm.error import ArgumentError, ArgumentTypeError
from tvm.ir import Call, Op, Var
from tvm.script import tirx as tx

P = Var("p", "handle")


@pytest.mark.parametrize("scope", ["warp", "block"])
@pytest.mark.parametrize("name", ["getmem_nbi", "putmem_nbi"])
def test_a_copy_is_of_a_thread_a_warp_or_a_block(name: str, scope: str) -> None:
    copy = getattr(tx.nvshmem, name)
    for function, op in ((copy, name), (getattr(copy, scope), f"{name}_{scope}")):
        made = function(P, P, 64, 1)
        assert isinstance(made, Call)
        assert isinstance(made.op, Op)
        assert made.op.name == f"tirx.nvshmem.{op}"


def test_a_member_with_members_says_what_it_takes() -> None:
    member = tx.nvshmem.putmem_nbi
    assert str(inspect.signature(member)) == "(*args, **kwds)"
    assert "Write `nelems` bytes" in (member.__doc__ or "")
    with pytest.raises(
        ArgumentTypeError, match=r"Tx.nvshmem.putmem_nbi\(dst, src, nelems, pe\): missing a required argument: 'src'"
    ):
        member(P)  # type: ignore[call-arg] # what is tested


def test_a_signal_is_set_or_added() -> None:
    for member in (tx.nvshmem.putmem_signal_nbi, tx.nvshmem.putmem_signal_nbi.block):
        with pytest.raises(ArgumentError, match="sig_op must be one of 'set', 'add', not 'sub'"):
            member(P, P, 8, P, 1, "sub", 0)  # type: ignore[arg-type] # what is tested


def test_a_comparison_has_a_name() -> None:
    assert tx.nvshmem.wait_until(P, "ge", 1)
    with pytest.raises(ArgumentError, match="cmp must be one of"):
        tx.nvshmem.wait_until(P, ">=", 1)  # type: ignore[arg-type] # what is tested
