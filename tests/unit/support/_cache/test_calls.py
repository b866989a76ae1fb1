import os
import signal
from pathlib import Path

import pytest

from tests.unit.stand_in import MakeStandIn, StandIn
from tvm.error import CompileError, ToolTimeoutError
from tvm.support import cache, record
from tvm.support._cache import programs

pytestmark = pytest.mark.usefixtures("folder", "old_files")

_FAILS = "if not os.path.exists('works'): print('no such thing'); sys.exit(3)"


@pytest.fixture
def llc(stand_in: MakeStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    """Return a tool that is taken for a program and fails unless there is a file `works`; the current folder holds a.bc."""
    monkeypatch.setattr(programs, "is_native", lambda _program: True)
    (tmp_path / "a.bc").write_text("one", encoding="ascii")
    (tmp_path / "works").write_text("", encoding="ascii")
    monkeypatch.chdir(tmp_path)
    return stand_in("llc", body=_FAILS, output="a warning\n")


def _run(llc: StandIn, output: str = "x.o") -> str:
    argv = [llc.path, "-O3", "a.bc", "-o", output]
    return cache.run(argv, outputs=[output], inputs=["a.bc"], tool=cache.Tool.CLOSED).output


def test_what_the_tool_said_is_said_again(llc: StandIn) -> None:
    assert [_run(llc), _run(llc)] == ["a warning\n"] * 2
    assert len(llc.calls) == 1


def test_a_failure_is_not_kept(llc: StandIn) -> None:
    Path("works").unlink()
    for _ in range(2):
        with pytest.raises(CompileError, match="no such thing"):
            _run(llc)

    assert len(llc.calls) == 2


def test_a_hundred_megabytes_of_words_are_handed_on_and_not_kept(
    llc: StandIn, stand_in: MakeStandIn, folder: Path
) -> None:
    loud = stand_in("llc", body="sys.stdout.write('x' * (100 << 20))")
    assert len(_run(loud)) == 100 << 20
    assert list(folder.glob("results/*/*")) == []
    assert llc.path == loud.path


def test_a_tool_that_never_ends_is_ended_and_leaves_nothing(llc: StandIn, stand_in: MakeStandIn, folder: Path) -> None:
    endless = stand_in("llc", body="import time\nopen(args[-1], 'w').write('half')\ntime.sleep(60)")
    argv = [endless.path, "-O3", "a.bc", "-o", "x.o"]
    with pytest.raises(ToolTimeoutError):
        cache.run(argv, outputs=["x.o"], inputs=["a.bc"], tool=cache.Tool.CLOSED, timeout=0.5)

    assert list(folder.glob("blobs/*/*")) == list((folder / "building").iterdir()) == []
    assert llc.path == endless.path


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_a_tool_that_dies_by_a_signal_leaves_nothing(
    number: int, llc: StandIn, stand_in: MakeStandIn, folder: Path
) -> None:
    dying = stand_in("llc", body=f"open(args[-1], 'w').write('half')\nos.kill(os.getpid(), {int(number)})")
    with pytest.raises(CompileError) as caught:
        _run(dying)

    assert caught.value.code == -number
    assert list(folder.glob("blobs/*/*")) == list((folder / "building").iterdir()) == []
    assert llc.path == dying.path


def test_no_product_is_not_kept(llc: StandIn, stand_in: MakeStandIn) -> None:
    silent = stand_in("llc", makes=False)
    for _ in range(2):
        _run(silent)

    assert len(llc.calls) == 2


def test_a_hit_replaces_what_is_there(llc: StandIn) -> None:
    _run(llc)
    made = Path("x.o").read_bytes()
    Path("x.o").unlink()
    Path("victim").write_text("mine", encoding="ascii")
    Path("x.o").symlink_to("victim")
    _run(llc)

    assert Path("x.o").read_bytes() == made
    assert not Path("x.o").is_symlink()
    assert Path("victim").read_text(encoding="ascii") == "mine"


def test_where_a_hit_cannot_be_placed_the_tool_says_why(llc: StandIn) -> None:
    _run(llc)
    Path("x.o").unlink()
    Path("x.o").mkdir()

    with pytest.raises(CompileError, match="IsADirectoryError"):
        _run(llc)


def test_a_hit_is_recorded_as_a_cached_call(llc: StandIn) -> None:
    calls: list[record.ToolCall] = []
    with record.recording(calls.append):
        _run(llc)
        _run(llc)

    assert [call.cached for call in calls] == [False, True]
    assert calls[0].outputs == calls[1].outputs
    assert (calls[0].argv, calls[0].tool, calls[0].inputs) == (calls[1].argv, calls[1].tool, calls[1].inputs)


def test_another_output_than_the_command_line_s_is_not_kept(llc: StandIn) -> None:
    for _ in range(2):
        cache.run([llc.path, "a.bc", "-o", "x.o"], outputs=["y.o"], tool=cache.Tool.CLOSED)

    assert len(llc.calls) == 2


def test_a_program_planted_in_the_current_folder_is_not_run(llc: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    planted = Path("llc")
    planted.write_text("#!/bin/sh\ntouch ran\n", encoding="ascii")
    planted.chmod(0o755)
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}:")
    cache.run(["llc", "a.bc", "-o", "x.o"], outputs=["x.o"], tool=cache.Tool.CLOSED)

    assert len(llc.calls) == 1
    assert not Path("ran").exists()
