import pytest
from hypothesis import given
from hypothesis import strategies as st

from tvm.matrix.engine import printed
from tvm.matrix.engine.printed import HEAD, TAIL, Printed


def kept(pieces: list[bytes], *, head: int, tail: int) -> bytes:
    output = Printed(head=head, tail=tail)
    for piece in pieces:
        output.add(piece)
    return output.kept()


@given(pieces=st.lists(st.binary(max_size=30)), head=st.integers(0, 20), tail=st.integers(1, 20))
def test_however_it_comes_beginning_and_end_are_kept(pieces: list[bytes], head: int, tail: int) -> None:
    whole = b"".join(pieces)
    result = kept(pieces, head=head, tail=tail)
    if len(whole) <= head + tail:
        assert result == whole
    else:
        left_out = f"\n... {len(whole) - head - tail} bytes of output are left out here ...\n"
        assert result == whole[:head] + left_out.encode() + whole[-tail:]


@pytest.mark.parametrize("size", [0, 1, HEAD + TAIL])
def test_output_within_bounds_is_the_same_object(size: int) -> None:
    output = bytes(size)
    assert printed.cut(output) is output


def test_output_that_is_too_long_is_cut() -> None:
    assert b" 7 bytes of output are left out " in printed.cut(bytes(HEAD + TAIL + 7))


@pytest.mark.parametrize(("count", "expected"), [(1, "c"), (2, "b\nc"), (9, "a\nb\nc")])
def test_the_last_lines_are_those_before_the_end(count: int, expected: str) -> None:
    assert printed.last_lines("a\nb\nc\n", count) == expected
