from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.unit.stand_in import MakeStandIn
from tests.unit.support import library_jobs
from tvm.error import CompileError
from tvm.support import cache, record
from tvm.support._cache import memo, states
from tvm.support._cache.states import State
from tvm.support.library import Outcome


@pytest.fixture(autouse=True)
def _on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TVM_COMPILE_CACHE", "on")
    monkeypatch.setenv("TVM_COMPILE_CACHE_DIR", str(tmp_path / "compile-cache"))
    yield
    memo.forget()


class Calls:
    """A library whose product is its job, twice, with a log; it counts its calls."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, job: str) -> Outcome:
        self.count += 1
        return library_jobs.outcome(log="a warning", product=job.encode() * 2)


def _plan(key: str = "ab" * 32, made_from: Sequence[State] = ()) -> cache.Plan:
    return cache.Plan(key=key, made_from=lambda: made_from)


def _refused() -> cache.Plan:
    raise cache.NotCachedError


def test_a_library_is_called_once() -> None:
    library = Calls()

    outcomes = [cache.call(library, "x", name="lib", options=["-O"], inputs={}, plan=_plan) for _ in range(3)]

    assert library.count == 1
    assert [outcome.products for outcome in outcomes] == [{"product": b"xx"}] * 3
    assert {(outcome.log, outcome.version, outcome.path) for outcome in outcomes} == {
        ("a warning", "1.2", str(Path(library_jobs.__file__)))
    }


def test_off_a_poisoned_store_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    library = Calls()
    cache.call(lambda _job: library_jobs.outcome(product=b"poison"), "x", name="lib", options=[], inputs={}, plan=_plan)
    assert cache.call(library, "x", name="lib", options=[], inputs={}, plan=_plan).products["product"] == b"poison"
    monkeypatch.setenv("TVM_COMPILE_CACHE", "off")

    assert cache.call(library, "x", name="lib", options=[], inputs={}, plan=_plan).products["product"] == b"xx"


def test_a_call_that_is_not_understood_goes_to_the_library() -> None:
    library = Calls()

    for _ in range(2):
        assert cache.call(library, "x", name="lib", options=[], inputs={}, plan=_refused).products["product"] == b"xx"

    assert library.count == 2


def test_an_error_is_not_kept() -> None:
    for _ in range(2):
        with pytest.raises(CompileError, match="wrong"):
            cache.call(library_jobs.fail, "wrong", name="lib", options=[], inputs={}, plan=_plan)


def test_a_hit_is_recorded_as_a_cached_call() -> None:
    calls: list[record.ToolCall] = []

    with record.recording(calls.append):
        for _ in range(2):
            cache.call(Calls(), "x", name="lib", options=["-O"], inputs={"k.cu": b"x"}, plan=_plan)

    assert [call.cached for call in calls] == [False, True]
    assert calls[0].outputs == calls[1].outputs
    assert calls[0].inputs == calls[1].inputs
    assert (calls[1].kind, calls[1].exit, calls[1].tool) == ("library", 0, calls[0].tool)


def test_a_file_that_the_product_was_made_from_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "SETTLED", -(10**10))
    header = tmp_path / "x.h"
    header.write_text("one", encoding="ascii")
    library = Calls()

    def plan() -> cache.Plan:
        return _plan(made_from=[states.file(str(header))])

    for text in ("one", "one", "three", "three"):
        header.write_text(text, encoding="ascii")
        cache.call(library, "x", name="lib", options=[], inputs={}, plan=plan)

    assert library.count == 2


def test_a_program_that_is_not_known_runs_each_time(
    stand_in: MakeStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tool = stand_in("g++")

    for kind in cache.Tool:
        cache.run([tool.path, "-o", "x", "a.o"], outputs=["x"], tool=kind)

    assert tool.calls == [["-o", "x", "a.o"]] * 3


def test_a_wrong_mode_is_an_error_before_anything_runs(stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = stand_in("g++")
    monkeypatch.setenv("TVM_COMPILE_CACHE", "maybe")

    with pytest.raises(RuntimeError, match="TVM_COMPILE_CACHE is 'maybe'"):
        cache.run([tool.path, "-o", "x", "a.o"], outputs=["x"])
    assert tool.calls == []
