import inspect
from collections.abc import Iterator

import pytest

from tvm.error import ArgumentTypeError
from tvm.ir import Call, CallEffectKind, Expr, Op, StringImm, Var, register_op, unregister_op
from tvm.ir.structural import structural_equal
from tvm.script.builder import document, make
from tvm.script.member import Arguments, Member

OPS = ("tirx.unit.add", "tirx.unit.several")


@pytest.fixture(autouse=True)
def _operations() -> Iterator[None]:
    for name in OPS:
        register_op(Op(name, effect=CallEffectKind.Pure))
    yield
    for name in OPS:
        unregister_op(name)


ADD = Member("add(a, b = 1) -> a.ty", "Add.", source="The manual, Addition")
A = Var("a", "float16")


def test_a_builder_looks_like_a_function_that_was_written() -> None:
    add = make("unit", ADD, {})
    assert inspect.isfunction(add)
    assert (add.__name__, add.__doc__) == ("add", "Add.\n\nSource: The manual, Addition.")
    assert str(inspect.signature(add)) == "(a, b=1)"
    assert vars(add)["__tir_op_name__"] == "unit_add"


def test_a_builder_without_a_name_of_apache_tvm_has_none() -> None:
    assert "__tir_op_name__" not in vars(make("unit", Member("add(a)", "", flat=None), {}))


def test_a_member_without_a_source_has_a_sentence_alone() -> None:
    assert document(Member("f()", "Do.")) == "Do."


def test_it_builds_the_call() -> None:
    made = make("unit", ADD, {})(A)
    assert structural_equal(made, Call("tirx.unit.add", (A, 1), ret_ty="float16"))


def test_wrong_arguments_name_the_member_and_its_signature() -> None:
    add = make("unit", ADD, {})
    with pytest.raises(ArgumentTypeError, match=r"Tx\.unit\.add\(a, b=1\): missing a required argument: 'a'"):
        add()
    with pytest.raises(ArgumentTypeError, match=r"Tx\.unit\.add\(a, b=1\): too many positional arguments"):
        add(1, 2, 3)


def test_none_is_left_out_only_where_it_is_the_default() -> None:
    several = make("unit", Member("several(a = None, b = 1)", ""), {})
    assert structural_equal(several(None, 2), Call("tirx.unit.several", (2,)))
    with pytest.raises(ArgumentTypeError, match="b must be an expression or a number, not None"):
        several(1, None)


def test_one_of_several_arguments_is_named_by_its_place() -> None:
    several = make("unit", Member("several(*args)", ""), {})
    with pytest.raises(ArgumentTypeError, match=r"Tx\.unit\.several: args\[1\] must be"):
        several(1, None)


def test_dtype_is_dropped_where_no_parameter_takes_it() -> None:
    assert structural_equal(make("unit", ADD, {})(A, dtype="int8"), make("unit", ADD, {})(A))


def test_dtype_is_the_first_of_those_that_take_what_comes() -> None:
    several = make("unit", Member("several(*args: any_value())", ""), {})
    assert structural_equal(several(1, dtype="int8"), Call("tirx.unit.several", ("int8", 1)))


def test_a_row_may_have_a_builder_of_its_own() -> None:
    def build(op: str, arguments: Arguments) -> Expr:
        return StringImm(f"{op} {sorted(arguments)}")

    made = make("unit", Member("add(a, b = None)", "", build=build), {})(A)
    assert structural_equal(made, StringImm("tirx.unit.add ['a', 'b']"))
