"""Every member of every script namespace, with arguments drawn by the kinds of its row."""

import copy
import inspect
import pickle
from collections.abc import Callable
from functools import reduce
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.backends.arguments import drawn, parameters, rows, script_arguments
from tvm.error import ArgumentError, ArgumentTypeError
from tvm.ir import Call, CallEffectKind, Expr, Op, StringImm
from tvm.ir.structural import structural_equal
from tvm.script import tirx as tx
from tvm.script.member import Member
from tvm.script.table import Table

ROWS = list(rows())
NAMES = [f"{table.name}.{member.name}" for table, member in ROWS]
# The rows that say all of what they build; the others have tests of their own.
PLAIN = [row for row in ROWS if row[1].build is None]
EXPLICIT = {
    "ldg",
    "func_call",
    "wait_until",
    "sm100_2sm_leader_smem_addr",
    "ldmatrix",
    "mma",
    "cp_async_raw",
    "cp_async_raw.legacy",
}


def of(table: Table, name: str) -> Callable[..., Expr]:
    found: Callable[..., Expr] = reduce(getattr, name.split("."), getattr(tx, table.name))
    return found


def named(row: tuple[Table, Member]) -> str:
    return f"{row[0].name}.{row[1].name}"


def draw_arguments(data: st.DataObject, member: Member) -> tuple[list[object], dict[str, object]]:
    args: list[object] = []
    keywords: dict[str, object] = {}
    for name, kind, how in parameters(member):
        match how:
            case "*":
                args += data.draw(st.lists(drawn(kind), max_size=3))
            case "=":
                keywords[name] = data.draw(drawn(kind))
            case _:
                args.append(data.draw(drawn(kind)))
    return args, keywords


def test_rows_with_a_builder_are_those_with_tests_of_their_own() -> None:
    assert {member.name for _, member in ROWS if member.build is not None} == EXPLICIT


@pytest.mark.parametrize("row", PLAIN, ids=named)
class TestPlainMembers:
    @given(st.data())
    @settings(max_examples=5)
    def test_build_a_call_and_the_call_makes_itself_again(self, row: tuple[Table, Member], data: st.DataObject) -> None:
        table, member = row
        args, keywords = draw_arguments(data, member)
        call = of(table, member.name)(*args, **keywords)
        assert isinstance(call, Call)
        assert isinstance(call.op, Op)
        assert call.op.name == f"tirx.{member.op(table.name)}"
        again = printed(call)
        assert structural_equal(call, again)
        assert structural_equal(pickle.loads(pickle.dumps(call)), call, map_free_vars=True)  # noqa: S301 - our own

    def test_refuses_what_is_no_argument(self, row: tuple[Table, Member]) -> None:
        table, member = row
        with pytest.raises(ArgumentTypeError, match=f"Tx.{table.name}.{member.name}\\("):
            of(table, member.name)(nonsense=1)

    @given(st.data())
    @settings(max_examples=1)
    def test_an_error_names_the_parameter(self, row: tuple[Table, Member], data: st.DataObject) -> None:
        table, member = row
        names = parameters(member)
        args, keywords = draw_arguments(data, member)
        for place, (name, _, how) in enumerate(names):
            if how == "*":
                continue
            wrong: dict[str, Any] = {**keywords, name: object()} if how else keywords
            bad = args if how else [*args[:place], object(), *args[place + 1 :]]
            with pytest.raises(ArgumentTypeError, match=f"Tx.{table.name}.{member.name}: {name} must be"):
                of(table, member.name)(*bad, **wrong)


def printed(call: Call) -> Expr:
    """Make a call again from its operation's script name and its operands, as a printed script does."""
    assert isinstance(call.op, Op)
    namespace, _, name = (call.op.script_name or "").partition(".")
    (table, member) = next(row for row in ROWS if row[0].name == namespace and row[1].name == name)
    args, keywords = script_arguments(call, member)
    return of(table, name)(*args, **keywords)


@pytest.mark.parametrize(("table", "member"), ROWS, ids=NAMES)
class TestEveryRow:
    def test_has_a_sentence_and_a_signature(self, table: Table, member: Member) -> None:
        function = of(table, member.name)
        assert (function.__doc__ or "").startswith(member.doc)
        assert member.doc.endswith(".")
        assert inspect.signature(function)

    def test_has_an_operation_that_is_printed_as_a_member(self, table: Table, member: Member) -> None:
        op = Op.get(f"tirx.{member.op(table.name)}")
        namespace, _, name = (op.script_name or "").partition(".")
        assert namespace == table.name
        assert callable(of(table, name))

    def test_keeps_its_identity(self, table: Table, member: Member) -> None:
        assert of(table, member.name) is of(table, member.name)


@pytest.mark.parametrize("name", ["cuda", "nvshmem", "ptx_legacy", "s_tir", "metal", "nki"])
class TestEveryNamespace:
    def test_lists_its_members(self, name: str) -> None:
        assert dir(getattr(tx, name)) == sorted(
            {member.name.split(".")[0] for table, member in ROWS if table.name == name}
        )

    def test_can_be_copied(self, name: str) -> None:
        namespace = getattr(tx, name)
        assert dir(copy.copy(namespace)) == dir(namespace)

    def test_suggests_a_member_for_a_misspelt_one(self, name: str) -> None:
        namespace = getattr(tx, name)
        member = max(dir(namespace), key=len)
        with pytest.raises(AttributeError, match=rf"Tx\.{name} has no member '{member}z'; did you mean {member}"):
            getattr(namespace, f"{member}z")


def test_what_no_pass_may_move_is_opaque() -> None:
    """Reads of a special register or of the active lanes give another value at another place."""
    for name in ("mov_sreg", "__activemask", "any_sync", "clock64", "elect_sync"):
        assert Op.get(f"tirx.cuda.{name}").effect is CallEffectKind.UpdateState


def test_arithmetic_is_pure() -> None:
    for name in ("fdividef", "fmul2_rn", "hmax2", "float2_x", "thread_rank"):
        assert Op.get(f"tirx.cuda.{name}").effect is CallEffectKind.Pure


def test_a_choice_that_is_none_lists_the_choices() -> None:
    with pytest.raises(ArgumentError, match=r"Tx.cuda.warp_reduce: op must be one of 'sum', 'max', 'min', not 'mean'"):
        tx.cuda.warp_reduce(1, "mean")  # type: ignore[arg-type] # what is tested


def test_text_constants_stay() -> None:
    call = tx.cuda.printf("%d\n", 1)
    assert isinstance(call, Call)
    assert isinstance(call.args[0], StringImm)
