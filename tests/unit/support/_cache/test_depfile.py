import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tvm.support._cache import depfile
from tvm.support._cache.flow import NotCachedError

# All that gcc and clang write so that it can be read back; a name that ends with a colon would be a target.
_NAMES = st.binary(min_size=1, max_size=20).filter(
    lambda name: not re.search(rb"[\t\n\r\v\f\0\\\x1c-\x1e\x85]", name) and not name.endswith(b":")
)


def _escaped(name: bytes) -> bytes:
    return re.sub(rb"([ #])", rb"\\\1", name.replace(b"$", b"$$"))


@given(st.lists(_NAMES, max_size=6, unique=True))
def test_what_make_would_read_is_read(names: list[bytes]) -> None:
    text = b"out.o: " + b" \\\n ".join(map(_escaped, names)) + b"\n"

    assert depfile.parse(text) == names


@given(st.lists(_NAMES, max_size=6, unique=True))
def test_rules_for_headers_that_are_gone_add_nothing(names: list[bytes]) -> None:
    rules = b"".join(_escaped(name) + b":\n\n" for name in names)

    assert depfile.parse(b"out.o: " + b" ".join(map(_escaped, names)) + b"\n\n" + rules) == names


@given(st.binary(max_size=80))
def test_any_bytes_are_names_or_refused(data: bytes) -> None:
    try:
        names = depfile.parse(data)
    except NotCachedError:
        return
    assert all(name and b"\n" not in name for name in names)


@pytest.mark.parametrize("text", [rb"o: a\\ b.h", rb"o: a\b.h", b"o: a\tb.h", b"o: a$b.h", b"o: a\0.h"])
def test_names_that_can_be_read_in_two_ways_are_refused(text: bytes) -> None:
    with pytest.raises(NotCachedError):
        depfile.parse(text)


def test_a_linker_s_list_names_a_file_more_than_once() -> None:
    assert depfile.parse(b"x.so: \\\n  /lib/a.so \\\n  /lib/a.so \\\n  b.o\n\n/lib/a.so:\n\nb.o:\n") == [
        b"/lib/a.so",
        b"b.o",
    ]


def test_nvcc_puts_a_blank_before_the_colon() -> None:
    assert depfile.parse(b"k.cubin : k.cu \\\n    /usr/include/a.h\n") == [b"k.cu", b"/usr/include/a.h"]
