import hashlib
import logging
import sys
from pathlib import Path

import pytest

from tests.unit.stand_in import MakeStandIn
from tvm.error import CompileError, ToolNotFound, ToolTimeoutError
from tvm.support import cc, record
from tvm.support._compile import is_nvcc, shared_driver

# A stand-in for ccache and sccache: it runs the rest of its command line.
_RUNS_THE_REST = "import subprocess\nprogram = os.path.join(os.environ['PATH'], args[0])\nsys.exit(subprocess.call([program, *args[1:]]))"


@pytest.mark.parametrize("launcher", ["ccache", "sccache"])
def test_with_a_launcher_each_source_is_compiled_on_its_own_and_then_linked(
    launcher: str, stand_in: MakeStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cache serves calls that make one object; one that also links passes through."""
    monkeypatch.chdir(tmp_path)
    stand_in(launcher, body=_RUNS_THE_REST)
    gxx = stand_in("g++")

    cc.create_shared("x.so", ["a.cc", "d/a.c", "b.o"], ["-O2", "-L.", "-lm"], cc="g++", launcher=launcher)

    first, second = ".x.so.tvm/objects/0-a.o", ".x.so.tvm/objects/1-a.o"
    assert gxx.calls == [
        ["-fPIC", "-c", "-o", first, "-O2", "a.cc"],
        ["-fPIC", "-c", "-o", second, "-O2", "d/a.c"],
        ["-shared", "-fPIC", "-o", ".x.so.tvm/x.so", "-O2", first, second, "b.o", "-L.", "-lm"],
    ]
    assert sorted(path.name for path in tmp_path.glob("*.*")) == ["x.so"]


def test_ccache_env_means_ccache_and_is_added_to_the_environment(
    stand_in: MakeStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEPT", "yes")
    ccache = stand_in("ccache", body=_RUNS_THE_REST)
    gxx = stand_in("g++")

    cc.create_shared(tmp_path / "x.so", ["a.o"], cc="g++", ccache_env={"CCACHE_DIR": "cache"})

    assert [call[0] for call in ccache.calls] == ["g++"]
    assert gxx.environments[0]["CCACHE_DIR"] == "cache"
    assert gxx.environments[0]["KEPT"] == "yes"


@pytest.mark.parametrize("options", [["-c"], ["-x", "c"]])
def test_a_call_that_does_not_link_by_suffix_is_not_taken_apart(
    options: list[str], stand_in: MakeStandIn, tmp_path: Path
) -> None:
    stand_in("ccache", body=_RUNS_THE_REST)
    gxx = stand_in("g++")

    cc.create_executable(tmp_path / "x", ["a.c"], options, cc="g++", launcher="ccache")

    assert gxx.calls == [["-o", str(tmp_path / ".x.tvm" / "x"), *options, "a.c"]]


def test_a_missing_launcher_is_a_value_error_with_its_fix(
    stand_in: MakeStandIn, tmp_path: Path, bin_folder: Path
) -> None:
    """ValueError("ccache not found") is the seed's."""
    gxx = stand_in("g++")

    with pytest.raises(ValueError, match="ccache not found") as caught:
        cc.create_shared(tmp_path / "x.so", ["a.c"], ccache_env={})

    assert isinstance(caught.value, ToolNotFound)
    assert caught.value.looked == (str(bin_folder),)
    assert gxx.calls == []


def test_a_failing_compiler_shows_its_text_and_keeps_the_earlier_output(stand_in: MakeStandIn, tmp_path: Path) -> None:
    stand_in("g++", output="a.c:3:1: error: no", code=1)
    (tmp_path / "x.so").write_text("old", encoding="utf-8")

    with pytest.raises(CompileError, match=r"Compilation error:\na.c:3:1: error: no\nCommand line: .*g\+\+ -shared"):
        cc.create_shared(tmp_path / "x.so", ["a.c"])

    assert (tmp_path / "x.so").read_text(encoding="utf-8") == "old"
    assert not (tmp_path / ".x.so.tvm").exists()


def test_a_compiler_that_overruns_is_ended(stand_in: MakeStandIn, tmp_path: Path) -> None:
    stand_in("g++", body="import time\ntime.sleep(60)")

    with pytest.raises(ToolTimeoutError):
        cc.create_shared(tmp_path / "x.so", ["a.c"], timeout=0.5)

    assert not (tmp_path / "x.so").exists()


def test_warnings_of_a_compiler_that_succeeds_are_logged(
    stand_in: MakeStandIn, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    stand_in("g++", output="a.c:1: warning: unused\n")

    with caplog.at_level(logging.INFO, logger="tvm.support"):
        cc.create_shared(tmp_path / "x.so", ["a.c"])

    assert caplog.messages == ["a.c:1: warning: unused"]


def test_a_recorder_gets_the_digests_of_sources_and_product(stand_in: MakeStandIn, tmp_path: Path) -> None:
    stand_in("g++")
    (tmp_path / "a.c").write_text("int a;", encoding="utf-8")
    calls: list[record.ToolCall] = []

    with record.recording(calls.append):
        cc.create_shared("x.so", ["a.c"], cwd=tmp_path)

    (call,) = calls
    assert [file.sha256 for file in call.inputs] == [hashlib.sha256(b"int a;").hexdigest()]
    assert [file.sha256 for file in call.outputs] == [hashlib.sha256((tmp_path / "x.so").read_bytes()).hexdigest()]


@pytest.mark.parametrize(
    ("command", "expected"),
    [(["nvcc"], True), (["/opt/cuda/bin/nvcc"], True), (["ccache", "nvcc.exe"], True), (["g++", "-Invcc.d/x"], False)],
)
def test_nvcc_is_told_by_its_name(command: list[str], expected: bool) -> None:  # noqa: FBT001 - a parameter of the test
    assert is_nvcc(command) is expected


@pytest.mark.parametrize(
    ("command", "options"),
    [
        (("clang", "--target=arm64-apple-macos13"), ()),
        (("zig", "cc"), ("-target", "aarch64-macos")),
        (("arm64-apple-darwin-clang",), ()),
    ],
)
def test_a_library_for_apple_is_named_after_its_output_not_after_the_stage(
    command: tuple[str, ...], options: tuple[str, ...]
) -> None:
    assert shared_driver(command, output="d/x.dylib", options=options).flags[-2:] == ("-install_name", "d/x.dylib")


def test_an_install_name_that_is_given_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    options = ["-Wl,-install_name,@rpath/x.dylib"]

    driver = shared_driver(("clang",), output="x.dylib", options=options)

    assert driver.flags == ("-shared", "-fPIC", "-undefined", "dynamic_lookup")
