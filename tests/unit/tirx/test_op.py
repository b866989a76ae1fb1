import pytest

from tests.unit.registries import undone
from tvm.error import RegistryError
from tvm.ir import Op, Span, register_op
from tvm.tirx.op import call_intrin, find_op

OP = Op("tirx.tests_legacy.a_b")


@pytest.mark.parametrize(
    "name", ["tirx.tests_legacy.a_b", "tests_legacy.a_b", "tests_legacy_a_b", "tirx.tests_legacy_a_b"]
)
def test_every_spelling_finds_the_operation(name: str) -> None:
    with undone():
        register_op(OP)
        assert find_op(name) is OP


def test_a_flat_operation_is_found_first() -> None:
    with undone():
        register_op(OP)
        flat = register_op(Op("tirx.tests_legacy_a_b"))
        assert find_op("tests_legacy_a_b") is flat


def test_a_call_has_the_type_that_is_asked_for() -> None:
    with undone():
        register_op(OP)
        span = Span(file="f", line=1, column=1)
        call = call_intrin("float32x4", "tests_legacy.a_b", 1, "x", attrs={"k": 1}, span=span)
    assert (call.op, call.dtype, [arg.dtype for arg in call.args], call.attrs, call.span) == (
        OP,
        "float32x4",
        ["int32", "string"],
        {"k": 1},
        span,
    )


def test_an_unknown_operation_is_an_error() -> None:
    with pytest.raises(RegistryError, match=r"'tirx\.tests_absent' is not an operation"):
        call_intrin("void", "tests_absent")
