import json
from pathlib import Path

import pytest

from tvm.matrix.engine import unable
from tvm.matrix.engine.layout import Layout


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(run=tmp_path / "run", home=tmp_path)


def test_where_nobody_has_tried_nothing_is_known(layout: Layout) -> None:
    assert unable.read(layout) == ""


def test_the_last_line_of_the_reason_is_kept(layout: Layout) -> None:
    unable.record(layout, "dockerd ended; the end of its log:\nstarting\nfailed to mount overlay: no such device\n\n")
    assert unable.read(layout) == "failed to mount overlay: no such device"


def test_every_user_may_read_it(layout: Layout) -> None:
    unable.record(layout, "why")
    assert layout.unable.stat().st_mode & 0o777 == 0o644


def test_a_long_reason_is_cut(layout: Layout) -> None:
    unable.record(layout, "x" * 1000)
    assert unable.read(layout) == "x" * 300


def test_it_is_forgotten_when_an_engine_answers(layout: Layout) -> None:
    unable.record(layout, "why")
    unable.forget(layout)
    unable.forget(layout)
    assert unable.read(layout) == ""


def test_another_boot_may_have_another_kernel(layout: Layout) -> None:
    layout.unable.write_text(json.dumps({"boot": "another", "why": "no overlay"}))
    assert unable.read(layout) == ""


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "7"])
def test_a_damaged_file_says_nothing(layout: Layout, text: str) -> None:
    layout.unable.write_text(text)
    assert unable.read(layout) == ""
