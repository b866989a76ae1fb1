import sys
from pathlib import Path

import pytest

from tests.unit.backend.packages import World
from tvm.backend import _entry_points
from tvm.error import BackendHookError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    return World(root=tmp_path)


def test_entries_come_by_name_and_say_whose_they_are(folder: World) -> None:
    folder.distribution("zoo", {"zebra": "zoo:zebra", "ant": "zoo:ant"})
    folder.distribution("bar", {"bar": "bar:load"})
    points, problems = _entry_points.find()
    assert [(point.name, point.distribution) for point in points] == [
        ("bar", "bar 1.0"),
        ("ant", "zoo 1.0"),
        ("zebra", "zoo 1.0"),
    ]
    assert problems == []


def test_other_groups_are_not_ours(folder: World) -> None:
    metadata = folder.distribution("bar", {})
    (metadata / "entry_points.txt").write_text("[tvm.backends.extra]\nx = y:z\n[console_scripts]\na = b:c\n")
    assert _entry_points.find() == ([], [])


def test_metadata_without_entry_points_is_not_read(folder: World) -> None:
    (folder.root / "bar-1.0.dist-info").mkdir()
    (folder.root / "file-1.0.dist-info").write_text("")
    assert _entry_points.find() == ([], [])


def test_what_cannot_be_listed_is_passed_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "path", ["", ".", str(tmp_path / "absent"), str(Path(__file__))])
    assert _entry_points.find() == ([], [])


def test_an_egg_that_is_being_developed_counts(folder: World) -> None:
    egg = folder.root / "tvm_foo.egg-info"
    egg.mkdir()
    (egg / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: tvm-foo\nVersion: 2.0\n")
    (egg / "entry_points.txt").write_text("[tvm.backends]\nfoo = foo:load\n")
    points, _ = _entry_points.find()
    assert [point.distribution for point in points] == ["tvm-foo 2.0"]


def test_comments_spaces_and_extras_are_passed_over(folder: World) -> None:
    metadata = folder.distribution("bar", {})
    (metadata / "entry_points.txt").write_text(
        "# a\n[ tvm.backends ]\n\n; b\n  os = os.path : getcwd [extra]\n", encoding="utf-8"
    )
    points, _ = _entry_points.find()
    assert [(point.name, point.reference) for point in points] == [("os", "os.path : getcwd [extra]")]


@pytest.mark.parametrize("reference", ["", "module", "module:", ":function", "a b:c", "m:f()"])
def test_what_names_no_function_is_an_error_when_it_is_run(reference: str) -> None:
    with pytest.raises(BackendHookError, match="is not MODULE:FUNCTION"):
        _entry_points.Point("x", "bar 1.0", reference).run()


def test_a_function_of_a_class_can_be_named(folder: World, capsys: pytest.CaptureFixture[str]) -> None:
    folder.module("tvm_unit_entry", "class A:\n    @staticmethod\n    def load():\n        print('loaded')\n")
    _entry_points.Point("x", "bar 1.0", "tvm_unit_entry:A.load").run()
    assert capsys.readouterr().out == "loaded\n"


def test_a_line_without_a_reference_is_a_problem(folder: World) -> None:
    (folder.distribution("bar", {}) / "entry_points.txt").write_text("[tvm.backends]\nfoo\n", encoding="utf-8")
    points, problems = _entry_points.find()
    assert points == []
    assert problems == [
        "the entry points of the distribution bar-1.0.dist-info cannot be read: BackendHookError: a line of the section tvm.backends has no '=': 'foo'"
    ]
