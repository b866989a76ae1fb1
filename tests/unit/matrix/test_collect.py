import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.matrix import fake_engine as fake
from tests.unit.matrix.fake_engine import Answer, Call, FakeBox, Program, line_of
from tests.unit.matrix.world import World
from tvm.error import CellFailedError
from tvm.matrix import collect
from tvm.matrix.model import Depth
from tvm.matrix.outcome import Evidence

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


FAILED = '<testsuite tests="1" failures="1" errors="0" skipped="0"/>'


def publish(folder: Path, lines: list[Any]) -> None:
    (folder / "artefacts.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def put(folder: Path, name: str, content: bytes) -> dict[str, Any]:
    """Write an artefact and return its line."""
    (folder / "artefacts" / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / "artefacts" / name).write_bytes(content)
    return line_of(name, content)


def test_a_folder_without_records_has_no_artefacts_and_no_calls(tmp_path: Path) -> None:
    assert (collect.artefacts(tmp_path), collect.calls(tmp_path)) == ((), ())


def test_artefacts_come_sorted_by_name(tmp_path: Path) -> None:
    publish(tmp_path, [put(tmp_path, name, b"x") for name in ("b.so", "arm64-v8a/a.so", "a.so")])
    assert [item.name for item in collect.artefacts(tmp_path)] == ["a.so", "arm64-v8a/a.so", "b.so"]


def test_an_artefact_has_what_its_line_says(tmp_path: Path) -> None:
    publish(tmp_path, [put(tmp_path, "a.so", b"code")])
    (item,) = collect.artefacts(tmp_path)
    assert (item.path, item.size, item.target, item.arch, item.check) == ("artefacts/a.so", 4, "llvm", "x86_64", "cc")
    assert item.evidence == (Evidence(depth=Depth.executed, by="x86_64", detail="numbers agree"),)


@pytest.mark.parametrize("name", ["..", ".", "a/../b", "/a", "a//b", "a/", "", "a b", "a\n", "a\u2028"])
def test_a_name_that_is_not_safe_is_refused(tmp_path: Path, name: str) -> None:
    publish(tmp_path, [line_of("a.so", b"code", name=name)])
    with pytest.raises(CellFailedError, match=r"artefacts\.jsonl:1: not what tvm-matrix writes"):
        collect.artefacts(tmp_path)


def test_an_artefact_about_which_nothing_was_shown_is_refused(tmp_path: Path) -> None:
    publish(tmp_path, [{**put(tmp_path, "a.so", b"code"), "evidence": []}])
    with pytest.raises(CellFailedError, match=r"artefacts\.jsonl:1"):
        collect.artefacts(tmp_path)


def test_the_line_that_is_wrong_is_named(tmp_path: Path) -> None:
    publish(tmp_path, [put(tmp_path, "a.so", b"code"), {}])
    with pytest.raises(CellFailedError, match=r"artefacts\.jsonl:2"):
        collect.artefacts(tmp_path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(JSON)
def test_any_json_is_either_read_or_refused(tmp_path: Path, line: object) -> None:
    publish(tmp_path, [line])
    with pytest.raises(CellFailedError):
        collect.artefacts(tmp_path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(sorted(line_of("a.so", b""))), JSON)
def test_a_field_of_any_value_is_either_read_or_refused(tmp_path: Path, key: str, value: object) -> None:
    publish(tmp_path, [{**put(tmp_path, "a.so", b""), key: value}])
    try:
        (item,) = collect.artefacts(tmp_path)
    except CellFailedError as error:
        assert "a.so" in error.cause or "artefacts.jsonl:1" in error.cause  # noqa: PT017 - either is right
    else:
        assert (tmp_path / item.path).is_file()


def test_a_line_that_is_nested_too_deep_is_refused(tmp_path: Path) -> None:
    (tmp_path / "artefacts.jsonl").write_text("[" * 200_000, encoding="ascii")
    with pytest.raises(CellFailedError, match=r"artefacts\.jsonl:1"):
        collect.artefacts(tmp_path)


def test_calls_come_in_the_order_of_their_files_and_lines(tmp_path: Path) -> None:
    def call(program: str) -> str:
        tool = {"path": program, "version": "1", "sha256": "0"}
        fields = {"kind": "process", "argv": [program], "tool": tool, "cwd": "/src", "seconds": 1, "exit": 0}
        return json.dumps(fields) + "\n"

    (tmp_path / "calls-b.jsonl").write_text(call("third"), encoding="utf-8")
    (tmp_path / "calls-a.jsonl").write_text(call("first") + call("second"), encoding="utf-8")
    assert [item.argv for item in collect.calls(tmp_path)] == [("first",), ("second",), ("third",)]


def junit(text: str, folder: Path) -> Path:
    path = folder / "check_a.xml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('<testsuites><testsuite tests="3" failures="0" errors="0" skipped="0"/></testsuites>', (3, 0)),
        ('<testsuites><testsuite tests="7" failures="1" errors="2" skipped="3"/></testsuites>', (7, 6)),
        ('<testsuite tests="2" failures="1" errors="0" skipped="0"/>', (2, 1)),
        (f"<testsuites>{FAILED * 2}</testsuites>", (2, 2)),
        ("<testsuites/>", (0, 0)),
        ('<testsuites><testsuite tests="many" failures="0" errors="0" skipped="0"/></testsuites>', (0, 0)),
        ("<testsuites><testsuite/></testsuites>", (0, 0)),
        ("<testsuites><testsuite", (0, 0)),
        ("<html/>", (0, 0)),
        ("", (0, 0)),
    ],
)
def test_counts_of_a_junit_file(tmp_path: Path, text: str, expected: tuple[int, int]) -> None:
    assert collect.counts(junit(text, tmp_path)) == expected


def test_a_missing_junit_file_counts_nothing(tmp_path: Path) -> None:
    assert collect.counts(tmp_path / "none.xml") == (0, 0)


def test_a_folder_in_place_of_a_junit_file_counts_nothing(tmp_path: Path) -> None:
    assert collect.counts(tmp_path) == (0, 0)


def publishes(**changes: object) -> Program:
    """Return a check that passes and publishes an artefact whose line is not what it should be."""

    def play(box: FakeBox, _call: Call) -> Answer:
        fake.junit(box, "cc")
        fake.publish(box, "a.so", b"code", **changes)
        return Answer()

    return play


@pytest.mark.parametrize(
    "changes",
    [
        {"sha256": "0" * 64},
        {"path": "artefacts/missing.so"},
        {"path": "artefacts"},
        {"size": 5},
    ],
)
def test_an_artefact_that_is_not_what_was_published_fails_the_cell(world: World, changes: dict[str, object]) -> None:
    assert "artefact a.so did not come back as it was published" in world.failure(publishes(**changes)).cause


@pytest.mark.parametrize(
    "changes",
    [
        {"evidence": [{"depth": "imagined", "by": "x", "detail": ""}]},
        {"evidence": 3},
        {"sha256": None},
        {"size": "big"},
        {"name": 7},
        {"name": "../a.so"},
        {"path": "../../../project/notes.txt"},
        {"path": "artefacts/../artefacts/a.so"},
        {"path": "/etc/passwd"},
        {"path": "a\0b"},
        {"name": "a b\x1b[31m.so"},
        {"arch": ["x"]},
    ],
)
def test_a_line_that_the_fixture_would_not_write_fails_the_cell(world: World, changes: dict[str, object]) -> None:
    assert "artefacts.jsonl:1" in world.failure(publishes(**changes)).cause


@pytest.mark.parametrize("text", [b"{", b"[]", b"\xff\xfe", b"{}", b'{"name": "a"}'])
@pytest.mark.parametrize("name", ["artefacts.jsonl", "calls-cc.jsonl"])
def test_a_broken_line_fails_the_cell_and_its_logs_are_kept(world: World, name: str, text: bytes) -> None:
    def breaks(box: FakeBox, _call: Call) -> Answer:
        fake.junit(box, "cc")
        (box.out / name).write_bytes(text + b"\n")
        return Answer(output="said\n")

    assert name in world.failure(breaks).cause
    assert (world.results.failed("first") / "logs" / "check_cc.log").read_text(encoding="utf-8") == "said\n"


def test_an_artefact_that_no_recorded_call_wrote_fails_the_cell(world: World) -> None:
    def publishes_what_nobody_made(box: FakeBox, _call: Call) -> Answer:
        fake.junit(box, "cc")
        fake.publish(box, "a.so", b"code")
        (box.out / "calls-cc.jsonl").unlink()
        fake.made(box, "a.so", b"other code")
        return Answer()

    error = world.failure(publishes_what_nobody_made)
    assert error.cause.endswith(
        "artefact a.so: no recorded call of a tool wrote it, so that nothing says how it was made"
    )
    assert "outputs=[FILE]" in error.fix


def test_an_artefact_that_is_published_twice_fails_the_cell(world: World) -> None:
    def twice(box: FakeBox, _call: Call) -> Answer:
        fake.junit(box, "cc")
        fake.publish(box, "a.so", b"code")
        fake.publish(box, "a.so", b"code")
        return Answer()

    error = world.failure(twice)
    assert "artefact a.so was published twice" in error.cause
    assert "name of its own" in error.fix
