import pytest
from hypothesis import given
from hypothesis import strategies as st

from tvm.support._cache import sealed

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(_VALUES)
def test_what_is_wrapped_is_unwrapped(value: object) -> None:
    assert sealed.unwrap(sealed.wrap(value)) == value


@given(_VALUES, st.data())
def test_any_other_byte_is_damage(value: object, data: st.DataObject) -> None:
    whole = bytearray(sealed.wrap(value))
    place = data.draw(st.integers(0, len(whole) - 1))
    whole[place] ^= data.draw(st.integers(1, 255))

    with pytest.raises(sealed.DamagedError):
        sealed.unwrap(bytes(whole))


@given(_VALUES, st.data())
def test_what_is_cut_off_is_damage(value: object, data: st.DataObject) -> None:
    whole = sealed.wrap(value)

    with pytest.raises(sealed.DamagedError):
        sealed.unwrap(whole[: data.draw(st.integers(0, len(whole) - 1))])
