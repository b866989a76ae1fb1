import threading
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tvm.error import ConfigError
from tvm.matrix._edit import append_entry, replace_value, rewrite

TEXT = """\
# The matrix.
schema: 1
images:
  one:  # the first
    suite: trixie
    tools: {gcc: "==14.*", tar: '>=1'}   # as Debian has them
    # A comment below.

# Cells come now.
cells:
  one:
    image: one
    checks:
      cc: [gcc, tar] # both
"""
ENTRY = "  two:\n    suite: trixie\n"


def test_a_value_is_replaced_and_nothing_else() -> None:
    assert replace_value(TEXT, ("images", "one", "tools", "gcc"), "==15.*") == TEXT.replace("==14.*", "==15.*")


def test_quotes_stay_as_they_were() -> None:
    text = replace_value(TEXT, ("images", "one", "tools", "tar"), ">=2")
    assert replace_value(text, ("images", "one", "suite"), "forky") == TEXT.replace("'>=1'", "'>=2'").replace(
        "suite: trixie", "suite: forky"
    )


@pytest.mark.parametrize("path", [("images", "one"), ("images", "none"), ("schema", "deeper")])
def test_what_is_no_single_value_is_refused(path: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError, match=f"{'.'.join(path)} holds no single value"):
        replace_value(TEXT, path, "x")


def test_an_entry_comes_behind_the_last_one_and_before_the_comments_of_what_follows() -> None:
    end = "# as Debian has them\n"
    assert append_entry(TEXT, "images", ENTRY) == TEXT.replace(end, end + ENTRY)


def test_an_entry_comes_at_the_end_of_a_file_without_a_last_newline() -> None:
    assert append_entry(TEXT.rstrip("\n"), "cells", ENTRY) == TEXT + ENTRY


@pytest.mark.parametrize("section", ["images: {}", "images: {one: {suite: trixie}}", "images: 1", "other: 1"])
def test_a_section_that_is_no_block_is_refused(section: str) -> None:
    with pytest.raises(ConfigError, match="images is not written as a block"):
        append_entry(f"schema: 1\n{section}\n", "images", ENTRY)


_LINES = st.sampled_from(["", "  # a comment", "# another", "    # deep"])


@given(st.lists(_LINES, max_size=4), st.lists(_LINES, max_size=4), st.booleans())
def test_the_file_then_says_what_it_said_and_the_entry(before: list[str], after: list[str], last: bool) -> None:  # noqa: FBT001 - an example's value
    rest = [] if last else ["cells:", "  one: {image: one}"]
    lines = ["images:", *before, "  one: {suite: trixie}", *after, *rest]
    text = "\n".join(lines) + "\n"
    wanted = yaml.safe_load(text)
    wanted["images"]["two"] = {"suite": "trixie"}
    assert yaml.safe_load(append_entry(text, "images", ENTRY)) == wanted


def test_two_programs_change_a_file_one_after_the_other(tmp_path: Path) -> None:
    file = tmp_path / "count.yaml"
    file.write_text("count: 0\n")
    inside, most = 0, 0

    def change(text: str) -> str:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        number = int(text.split()[1]) + 1
        inside -= 1
        return f"count: {number}\n"

    threads = [threading.Thread(target=rewrite, args=(file, change)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (file.read_text(), most) == ("count: 8\n", 1)


def test_an_unchanged_file_is_not_written(tmp_path: Path) -> None:
    file = tmp_path / "same.yaml"
    file.write_text("a: 1\n")
    before = file.stat().st_ino
    assert not rewrite(file, lambda text: text)
    assert file.stat().st_ino == before
