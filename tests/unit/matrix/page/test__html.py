from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.matrix.page.cells import HOSTILE
from tests.unit.matrix.page.reader import read
from tvm.matrix.page._html import Safe, clean, element, escape, join


def test_an_element_has_attributes_and_content() -> None:
    assert element("a", "text", href="#x", class_="y", data_made=3) == '<a href="#x" class="y" data-made="3">text</a>'


def test_true_is_a_bare_attribute_and_none_and_false_are_left_out() -> None:
    assert element("details", open_=True, id=None, hidden=False) == "<details open></details>"


def test_an_element_without_content_is_not_closed() -> None:
    assert element("rect", width=3) == '<rect width="3">'


def test_what_is_html_already_is_not_escaped_again() -> None:
    assert join(["<", Safe("<b>")]) == "&lt;<b>"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;a title\x07text", "text"),
        ("50%\r100%\r\n", "50%\n100%\n"),
        ("a\x00b\x08", "a\ufffdb\ufffd"),
        ("\u202egnp.exe", "\ufffdgnp.exe"),
        ("\ud800", "\ufffd"),
        ("https://me:secret@host/x", "https://host/x"),
        ("tab\tand\nline", "tab\tand\nline"),
    ],
)
def test_text_is_cleaned_of_what_a_reader_would_obey(text: str, shown: str) -> None:
    assert clean(text) == shown


@given(st.text() | st.just(HOSTILE))
def test_text_comes_back_as_it_was_cleaned(text: str) -> None:
    assert unescape(escape(text)) == clean(text)
    node = read(element("p", text, title=text)).one("p")
    assert (node.text, node.attributes["title"], node.all()) == (clean(text), clean(text), [])
    assert clean(text).encode().decode() == clean(text)
