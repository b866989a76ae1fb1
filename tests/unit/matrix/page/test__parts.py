import pytest

from tests.unit.matrix.page.cells import a_cell
from tests.unit.matrix.page.reader import read, rows
from tvm.matrix.page import _parts
from tvm.matrix.page._html import element


def test_a_table_has_a_caption_and_heads_with_a_scope() -> None:
    table = read(_parts.table("Things: 2", ["Name", "#Size"], [element("tbody", _parts.row("a", "1"))]))
    assert table.one("caption").text == "Things: 2"
    assert [(head.text, head.attributes["scope"]) for head in table.all("th")] == [
        ("Name", "col"),
        ("Size", "col"),
        ("a", "row"),
    ]
    assert rows(table) == [["Name", "Size"], ["a", "1"]]


def test_a_bar_is_as_long_as_its_part_of_the_longest() -> None:
    assert read(_parts.bar(1.0, 4.0)).one("rect").attributes["width"] == "25.0"
    assert read(_parts.bar(1.0, 4.0)).text == "1.0 s"


def test_a_bar_of_nothing_has_no_length() -> None:
    assert read(_parts.bar(0.0, 0.0)).one("rect").attributes["width"] == "0.0"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.123, "0.12 s"), (14.25, "14.2 s"), (59.97, "1 min 0 s"), (3725.0, "62 min 5 s")]
)
def test_durations_are_readable(seconds: float, text: str) -> None:
    assert _parts.duration(seconds) == text


def test_a_moment_is_written_out_and_the_browser_makes_the_age() -> None:
    time = read(_parts.moment("2026-01-02T03:04:05Z")).one("time")
    assert (time.text, time.attributes) == (
        "2026-01-02 03:04 UTC",
        {"datetime": "2026-01-02T03:04:05Z", "data-age": None},
    )


def test_the_whole_sha256_can_be_copied() -> None:
    part = read(_parts.digest("ab" * 32))
    assert (part.one("code").text, part.one("code").attributes["title"]) == ("ab" * 6, "ab" * 32)


def test_without_a_sha256_there_is_nothing_to_copy() -> None:
    assert _parts.digest("") == ""


def test_a_command_can_be_copied() -> None:
    part = read(_parts.command("cc -o 'a b' c.c"))
    assert (part.one("code").text, part.one("button").text) == ("cc -o 'a b' c.c", "copy")


def test_a_command_that_is_too_long_is_cut_and_cannot_be_copied() -> None:
    part = read(_parts.command("x" * 5000))
    assert part.one("code").text == f"{'x' * 2000} … (cut: the whole command is in the manifest)"
    assert part.all("button") == []


def test_a_link_is_relative_and_quoted() -> None:
    assert read(_parts.link(a_cell(), "logs/a b?.log", "log")).one("a").attributes["href"] == "first/logs/a%20b%3F.log"


def test_words_leave_out_what_is_empty() -> None:
    assert _parts.words("a", "", "<b>") == "a · &lt;b&gt;"


def test_counts_have_their_plural() -> None:
    assert [_parts.count(number, "check") for number in (0, 1, 2)] == ["0 checks", "1 check", "2 checks"]
