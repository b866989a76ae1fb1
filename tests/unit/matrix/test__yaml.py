"""What the strict reader takes, it takes as PyYAML's safe loader does."""

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tvm.matrix._yaml import Unquoted, read

# Begins with a letter that begins no number and no truth value: text for every reader.
_NAMES = st.from_regex(r"[cxz][cxz0-9._+-]{0,6}", fullmatch=True)
_SCALARS: st.SearchStrategy[Any] = st.one_of(_NAMES, st.booleans(), st.integers(min_value=0, max_value=10**9))
_VALUES = st.recursive(_SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3))


@given(st.dictionaries(_NAMES, _VALUES, min_size=1, max_size=4))
def test_what_a_dumper_wrote_is_read_back_the_same(value: dict[str, Any]) -> None:
    document = read(yaml.safe_dump(value), name="x")
    assert (document.value, document.problems) == (value, ())


@given(st.from_regex(r"[0-9.+][0-9.+eExo_:-]{0,5}[0-9eEf]", fullmatch=True))
def test_no_number_is_taken_for_text(text: str) -> None:
    value = read(f"a: {text}", name="x").value["a"]
    if isinstance(value, str):
        assert yaml.safe_load(text) == text
        with pytest.raises(ValueError, match="could not convert"):
            float(text)
    else:
        assert value in {Unquoted(text=text), yaml.safe_load(text)}


def test_every_key_has_its_line() -> None:
    document = read("a:\n  b: 1\n  c:\n    - d: 2\n", name="x")
    assert document.line(("a", "c", 0, "d")) == 4


def test_a_key_that_is_not_there_has_the_line_of_what_holds_it() -> None:
    document = read("a:\n  b: 1\n", name="x")
    assert document.line(("a", "missing", "deeper")) == 1


def test_plain_scalars_are_kept_as_written() -> None:
    document = read("a: 12.10\nb: '12.10'\n", name="x")
    assert dict(document.plain) == {("a",): "12.10"}


def test_block_scalars_are_text() -> None:
    assert read("a: |-\n  12\n", name="x").value == {"a": "12"}
