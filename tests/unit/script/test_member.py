from tvm.ir import CallEffectKind
from tvm.script.member import Member, operations


def test_names_follow_from_the_signature() -> None:
    row = Member("inner.add(a, b) -> a.ty", "")
    assert row.name == "inner.add"
    assert row.op("ns") == "ns.inner_add"
    assert row.builder_name("ns") == "ns_inner_add"


def test_the_operation_may_be_another_members() -> None:
    row = Member("add_one(a) -> a.ty", "", calls="ns.add(a, 1)")
    assert row.op("ns") == "ns.add"
    assert row.builder_name("ns") == "ns_add_one"


def test_an_operation_without_a_namespace_is_the_builders_name_too() -> None:
    row = Member("fill(a)", "", calls="mma_fill")
    assert row.op("ns") == row.builder_name("ns") == "mma_fill"


def test_a_builders_name_may_be_given_or_absent() -> None:
    assert Member("f()", "", flat="other").builder_name("ns") == "other"
    assert Member("f()", "", flat=None).builder_name("ns") is None


def test_a_shared_operation_is_that_of_the_member_of_its_name() -> None:
    rows = (
        Member("add_one(a)", "", calls="ns.add(a, 1)"),
        Member("add(a, b)", "", effect="pure"),
        Member("read()", "", effect="reads"),
    )
    found = operations("ns", rows)
    assert list(found) == ["tirx.ns.add", "tirx.ns.read"]
    assert found["tirx.ns.add"].script_name == "ns.add"
    assert found["tirx.ns.add"].effect is CallEffectKind.Pure
    assert found["tirx.ns.read"].effect is CallEffectKind.ReadState
