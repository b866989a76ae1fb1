from enum import Enum

import pytest

from tvm.backend.cuda.rows import kinds
from tvm.error import ArgumentError, ArgumentTypeError
from tvm.ir import IntImm, PointerType, PrimType, Var

POINTER = Var("p", PointerType(PrimType("uint64"), "shared"))


class Event(Enum):
    LOAD = 3
    NAMED = "load"


def test_a_barrier_is_a_pointer_or_a_shared_address() -> None:
    address = Var("address", "uint32")
    assert kinds.barrier().convert(POINTER, "bar") is POINTER
    assert kinds.barrier().convert(address, "bar") is address
    for wrong in (1, "bar", Var("n", "int32"), Var("n", "uint64")):
        with pytest.raises(ArgumentTypeError, match="bar must be a pointer"):
            kinds.barrier().convert(wrong, "bar")


@pytest.mark.parametrize("name", ["%clusterid.x", "clusterid.q", "tid x", "", "Tid.x", "laneid;"])
def test_a_special_register_is_a_name_without_percent(name: str) -> None:
    with pytest.raises(ArgumentError, match="without its %"):
        kinds.special_register().convert(name, "reg_name")


@pytest.mark.parametrize(("given", "number"), [(Event.LOAD, 3), (3, 3), (IntImm("int32", 1023), 1023)])
def test_an_event_is_a_member_of_an_enumeration_or_a_number(given: object, number: int) -> None:
    made = kinds.event().convert(given, "event_type")
    assert isinstance(made, IntImm)
    assert made.value == number


@pytest.mark.parametrize(
    ("given", "error"),
    [(1024, ArgumentError), (-1, ArgumentError), (Event.NAMED, ArgumentTypeError), (True, ArgumentTypeError)],
)
def test_an_event_has_ten_bits(given: object, error: type[Exception]) -> None:
    with pytest.raises(error, match="event_type must be"):
        kinds.event().convert(given, "event_type")


@pytest.mark.parametrize("name", ["f16", "s8", "tensor_float32", "float8_e4m3"])
def test_the_type_of_a_matrix_is_one_of_the_known_spellings(name: str) -> None:
    with pytest.raises(ArgumentError, match="must be one of"):
        kinds.mma_type().convert(name, "a_dtype")
