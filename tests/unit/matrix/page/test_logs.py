from pathlib import Path

import pytest

from tests.unit.matrix.page.cells import HOSTILE, a_cell
from tests.unit.matrix.page.reader import Node, read
from tvm.matrix.page import logs

LINES = "".join(f"line {number}\n" for number in range(5000))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "first" / "logs").mkdir(parents=True)
    return tmp_path / "first"


def output(folder: Path, text: str, *, failed: bool = False) -> Node:
    (folder / "logs" / "check_cc.log").write_text(text, encoding="utf-8")
    return read(logs.output(a_cell(folder=folder), "cc", ["python", "-m", "pytest"], failed=failed))


def test_an_output_is_folded_unless_the_check_failed(folder: Path) -> None:
    folded = [output(folder, "text", failed=failed).one("details").attributes for failed in (False, True)]
    assert folded == [{}, {"open": None}]


@pytest.mark.parametrize(("failed", "limit"), [(False, 1_500), (True, 12_000)])
def test_only_the_end_of_a_long_output_is_shown_from_a_whole_line_on(folder: Path, *, failed: bool, limit: int) -> None:
    shown = output(folder, LINES, failed=failed).one("pre").text
    assert (len(shown) <= limit, LINES.endswith(f"\n{shown}"), shown.startswith("line ")) == (True, True, True)


def test_a_single_endless_line_is_cut_too(folder: Path) -> None:
    assert output(folder, "x" * 100_000).one("pre").text == "x" * 1_500


def test_the_whole_output_is_a_link_with_its_size(folder: Path) -> None:
    link = output(folder, LINES).one("a")
    assert (link.attributes["href"], link.text) == ("first/logs/check_cc.log", "whole output, 48.9 kB")


def test_an_output_is_text_whatever_it_holds(folder: Path) -> None:
    assert output(folder, f"\x1b[31m{HOSTILE} https://me:pw@host/\n").one("pre").text == f"{HOSTILE} https://host/\n"


def test_bytes_that_are_no_text_are_shown_as_such(folder: Path) -> None:
    (folder / "logs" / "check_cc.log").write_bytes(b"a\xff\n")
    assert logs.tail(folder / "logs" / "check_cc.log", 10).text == "a\ufffd\n"


def test_the_command_of_the_check_can_be_copied_even_without_an_output(folder: Path) -> None:
    found = read(logs.output(a_cell(folder=folder), "cc", ["python", "-m", "pytest"], failed=False))
    assert (found.one("code").text, found.all("pre")) == ("python -m pytest", [])


def test_nothing_to_show_is_no_fold(folder: Path) -> None:
    assert logs.output(a_cell(folder=folder), "cc", [], failed=False) == ""


def failures(folder: Path, cases: str) -> str:
    text = f'<testsuites><testsuite name="p" tests="1" failures="1" errors="0" skipped="0">{cases}</testsuite></testsuites>'
    (folder / "logs" / "check_cc.xml").write_text(text, encoding="utf-8")
    return logs.failures(a_cell(folder=folder), "cc")


def test_tests_that_failed_are_named_with_the_first_line_of_what_they_say(folder: Path) -> None:
    cases = '<testcase name="t[a]"><failure message="no&#10;more"/></testcase><testcase name="u"><error message="gone"/></testcase><testcase name="v"/>'
    assert [node.text for node in read(failures(folder, cases)).all("li")] == ["t[a] no", "u gone"]


def test_of_many_failed_tests_the_rest_is_counted(folder: Path) -> None:
    items = read(failures(folder, '<testcase name="t"><failure message="no"/></testcase>' * 23)).all("li")
    assert (len(items), items[-1].text) == (21, "and 3 more tests")


def test_without_a_junit_file_no_test_is_named(folder: Path) -> None:
    assert logs.failures(a_cell(folder=folder), "cc") == ""
