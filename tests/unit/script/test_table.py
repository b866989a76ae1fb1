import copy
import inspect
from collections.abc import Callable
from typing import Any

import pytest

from tvm.ir import Expr, StringImm
from tvm.script.member import Arguments, Member
from tvm.script.table import CallableNamespace, Table, TableNamespace, Tables, unknown_member


def build(op: str, _arguments: Arguments) -> Expr:
    return StringImm(op)


TABLE = Table(
    name="unit",
    members=(
        Member("plain(a)", "Plain.", build=build),
        Member("inner.first()", "First.", build=build),
        Member("inner.deep.second()", "Second.", build=build),
        Member("both(a)", "Both.", build=build),
        Member("both.warp(a)", "Warp.", build=build),
        Member("silent(a)", "Silent.", build=build, flat=None),
        Member("silent.warp(a)", "Warp.", build=build),
    ),
    kinds={},
)


@pytest.fixture
def namespace() -> Any:
    return TableNamespace(TABLE)


def test_members_are_listed(namespace: Any) -> None:
    assert dir(namespace) == ["both", "inner", "plain", "silent"]
    assert dir(namespace.inner) == ["deep", "first"]
    assert repr(namespace.inner) == "<namespace Tx.unit.inner: deep, first>"


def test_a_member_is_made_once(namespace: Any) -> None:
    assert namespace.plain is namespace.plain
    assert namespace.inner.deep.second().value == "tirx.unit.inner_deep_second"


def test_a_member_may_have_members(namespace: Any) -> None:
    assert isinstance(namespace.both, CallableNamespace)
    both: Any = namespace.both
    assert both(1).value == "tirx.unit.both"
    assert both.warp(1).value == "tirx.unit.both_warp"
    assert namespace.both.__doc__ == "Both."
    assert str(inspect.signature(namespace.both)) == "(*args, **kwds)"
    assert namespace.both.__tir_call_op_name__ == "unit_both"
    assert not hasattr(namespace.silent, "__tir_call_op_name__")


def test_an_unknown_member_is_an_error_with_a_suggestion(namespace: Any) -> None:
    with pytest.raises(AttributeError, match=r"Tx\.unit has no member 'plian'; did you mean plain\?"):
        namespace.plian  # noqa: B018 - the access is what fails
    with pytest.raises(AttributeError, match=r"Tx\.unit\.inner has no member 'zzz'$"):
        namespace.inner.zzz  # noqa: B018 - the access is what fails


def test_a_namespace_can_be_copied(namespace: Any) -> None:
    assert copy.copy(namespace).plain(1).value == copy.deepcopy(namespace).plain(1).value == "tirx.unit.plain"


def test_a_wrapper_is_put_around_members_of_every_depth() -> None:
    def loud(builder: Callable[..., Expr]) -> Callable[..., Expr]:
        return lambda *args: StringImm(f"{builder.__name__}!") if args else builder()

    namespace: Any = TableNamespace(TABLE, wrap=loud)
    assert namespace.plain(1).value == "plain!"
    assert namespace.inner.deep.second(1).value == "second!"
    assert namespace.both(1).value == "both!"
    assert namespace.both.warp(1).value == "warp!"


def test_tables_give_operations_by_prefix_and_namespaces_by_name() -> None:
    tables = Tables((TABLE, Table(name="other", members=(Member("f()", ""),), kinds={})))
    assert sorted(tables.operations("tirx.unit.inner")) == ["tirx.unit.inner_deep_second", "tirx.unit.inner_first"]
    assert list(tables.operations("tirx.other.")) == ["tirx.other.f"]
    assert list(tables.namespaces()) == ["unit", "other"]


def test_the_text_of_an_unknown_member() -> None:
    assert unknown_member("Tx.unit", "b", ["a"]) == "Tx.unit has no member 'b'"
    assert unknown_member("Tx.unit", "ab", ["abc"]) == "Tx.unit has no member 'ab'; did you mean abc?"
