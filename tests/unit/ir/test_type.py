import pytest

from tvm.ir import DTypeError, PointerType, PrimType, StringType, TupleType, as_type, dtype


def test_types_are_values() -> None:
    assert PointerType(PrimType("int32"), "shared") == PointerType(PrimType("int32"), "shared")
    assert PointerType(PrimType("int32"), "shared") != PointerType(PrimType("int32"), "local")
    assert len({PrimType("int32"), PrimType("int32"), StringType()}) == 2


def test_names() -> None:
    assert [str(kind) for kind in (PrimType("int8x4"), PointerType(), TupleType((PrimType("bool"),)))] == [
        "int8x4",
        "handle",
        "(bool)",
    ]


def test_a_name_becomes_a_type() -> None:
    assert as_type("handle") == PointerType()
    assert as_type("float32") == PrimType("float32")
    assert as_type(dtype("float32x4")).dtype.lanes == 4  # type: ignore[attr-defined] # it is a PrimType
    assert as_type(TupleType()) == TupleType()


def test_what_names_no_type() -> None:
    with pytest.raises(DTypeError):
        as_type("float")
