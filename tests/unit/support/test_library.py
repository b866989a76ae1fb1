import os
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.unit.support import library_jobs as jobs
from tvm.error import CompileError, ToolNotFound, ToolTimeoutError
from tvm.support import library, record

# No child needs as long; where one hangs, the test does not.
_LONG = 60.0


def _call(function: Callable[[Any], library.Outcome], job: object, timeout: float | None = None) -> library.Outcome:
    return library.call(
        function,
        job,
        name="libx",
        options=["-a", "-b"],
        inputs={"text": b"x", "file": Path(jobs.__file__)},
        heading="Library error",
        timeout=timeout,
        fix="try again",
    )


def test_without_a_limit_it_runs_in_this_process() -> None:
    made = _call(jobs.double, "ab")

    assert made.products["product"] == b"abab"
    assert made.products["process"] == str(os.getpid()).encode()


def test_with_a_limit_it_runs_in_another_process() -> None:
    made = _call(jobs.double, "ab", _LONG)

    assert made.products["product"] == b"abab"
    assert made.products["process"] != str(os.getpid()).encode()


def test_the_child_searches_what_this_process_searches_but_no_current_directory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit(1)", encoding="ascii")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", ["", *__import__("sys").path, str(tmp_path / "last")])

    searched = _call(jobs.double, "ab", _LONG).products["path"].decode().split(os.pathsep)

    assert searched[-1] == str(tmp_path / "last")
    assert all(Path(entry).is_absolute() for entry in searched)


@pytest.mark.parametrize("timeout", [None, _LONG])
def test_a_code_other_than_0_is_an_error_with_the_log(timeout: float | None) -> None:
    with pytest.raises(CompileError, match="Library error:\nno such thing\nCommand line: libx -a -b\n") as caught:
        _call(jobs.fail, "no such thing", timeout)

    assert (caught.value.code, caught.value.fix) == (6, "try again")


@pytest.mark.parametrize("timeout", [None, _LONG])
def test_an_error_of_ours_comes_through(timeout: float | None) -> None:
    with pytest.raises(ToolNotFound, match="no libx") as caught:
        _call(jobs.miss, "libx", timeout)

    assert caught.value.fix == "install it"


def test_a_call_that_overruns_is_ended() -> None:
    with pytest.raises(ToolTimeoutError, match=r"ended after its limit of 0\.5 s") as caught:
        _call(jobs.hang, 60.0, 0.5)

    assert caught.value.command == ("libx", "-a", "-b")


def test_a_library_that_ends_its_process_is_an_error_here() -> None:
    with pytest.raises(CompileError, match="Library error") as caught:
        _call(jobs.die, 9, _LONG)

    assert caught.value.command == ("libx", "-a", "-b")
    assert caught.value.code == 9


def test_a_library_that_ends_its_process_as_if_all_were_well_is_an_error_too() -> None:
    with pytest.raises(CompileError, match="Library error") as caught:
        _call(jobs.die, 0, _LONG)

    assert (caught.value.command, caught.value.code) == (("libx", "-a", "-b"), 0)


def test_the_child_finds_this_package_where_only_the_current_directory_led_to_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    root = Path(library.__file__).parents[2]
    monkeypatch.chdir(root)
    monkeypatch.setattr("sys.path", ["", *(entry for entry in sys.path if Path(entry) not in {Path(), root})])

    assert library._search_path() == [str(root), *sys.path[1:]]
    assert _call(jobs.double, "ab", _LONG).products["product"] == b"abab"


@pytest.mark.parametrize("timeout", [None, _LONG])
def test_one_call_is_one_record(timeout: float | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_KERNEL_DEBUG", "1")
    calls: list[record.ToolCall] = []

    with record.recording(calls.append):
        _call(jobs.double, "ab", timeout)

    (call,) = calls
    tool = Path(jobs.__file__)
    assert (call.kind, call.argv, call.exit) == ("library", ("-a", "-b"), 0)
    assert call.tool == record.ToolIdentity(path=str(tool), version="1.2", sha256=record.digest(tool))
    assert [(file.path, file.sha256) for file in call.inputs] == [
        ("text", sha256(b"x").hexdigest()),
        ("file", record.digest(tool)),
    ]
    assert call.outputs[0] == record.FileDigest(path="product", sha256=sha256(b"abab").hexdigest())
    assert call.seconds >= 0
    assert call.environment["TVM_KERNEL_DEBUG"] == "1"


def test_a_failure_is_recorded_too() -> None:
    calls: list[record.ToolCall] = []

    with record.recording(calls.append), pytest.raises(CompileError):
        _call(jobs.fail, "no")

    assert [call.exit for call in calls] == [6]
