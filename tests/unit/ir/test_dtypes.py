import pytest
from hypothesis import given
from hypothesis import strategies as st

from tvm.ir import DType, DTypeError, dtype
from tvm.ir.dtypes import SPECIAL_FLOATS

SCALARS = st.one_of(
    st.sampled_from(["bool", "handle", "void", *SPECIAL_FLOATS]),
    st.builds("{}{}".format, st.sampled_from(["int", "uint", "float"]), st.integers(1, 128)),
)


@given(SCALARS, st.integers(1, 64))
def test_a_name_and_what_it_says_are_one(name: str, lanes: int) -> None:
    assert str(dtype(name)) == name
    if name not in {"handle", "void"}:
        vector = dtype(name).with_lanes(lanes)
        assert dtype(str(vector)) == vector
        assert vector.scalar() == dtype(name)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("int32", DType(code="int", bits=32)),
        ("float16x8", DType(code="float", bits=16, lanes=8)),
        ("bool", DType(code="bool", bits=8)),
        ("float8_e4m3fn", DType(code="float8_e4m3fn", bits=8)),
        ("float4_e2m1fnx2", DType(code="float4_e2m1fn", bits=4, lanes=2)),
    ],
)
def test_names(name: str, expected: DType) -> None:
    assert dtype(name) == expected


@pytest.mark.parametrize(
    "name", ["", "int", "int0", "float32x0", "handlex4", "voidx2", "int32 ", "Float32", "x4", "int32x4x2"]
)
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(DTypeError, match="is no name of an element type"):
        dtype(name)


def test_a_name_that_is_nearly_one_is_suggested() -> None:
    with pytest.raises(DTypeError, match="did you mean float32"):
        dtype("flaot32")


def test_kinds() -> None:
    assert [dtype(name).is_float for name in ("float16", "bfloat16", "int8", "bool")] == [True, True, False, False]
    assert [dtype(name).is_integer for name in ("uint8", "int64", "bool", "handle")] == [True, True, False, False]
