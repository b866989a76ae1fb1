import io
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.stand_in import MakeStandIn
from tvm.error import CompileError, ToolNotFound, ToolTimeoutError, TVMError
from tvm.support import _pidfd, process, record
from tvm.support.record import ToolCall, recording

ODD = [
    "a b",
    "it's",
    '"quoted"',
    "new\nline",
    "--dash",
    "",
    "$HOME",
    "*",
    "\\",
    ";rm",
    os.fsdecode(b"not-utf8-\xff\xfe"),
    "übung",
]


def gone(pid: int) -> bool:
    """Tell whether a process has ended (what is dead and not yet collected by its parent has ended)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


def eventually(condition: Callable[[], bool]) -> bool:
    """Wait for what the system does on its own, up to ten seconds."""
    end = time.monotonic() + 10
    while not condition() and time.monotonic() < end:
        os.sched_yield()
    return condition()


class TestRun:
    def test_gives_back_argv_output_code_and_seconds(self, stand_in: MakeStandIn) -> None:
        tool = stand_in("tool", output="hello\n")
        done = process.run(["tool", "-x", Path("a")])
        assert (done.argv, done.output, done.raw, done.code) == ((tool.path, "-x", "a"), "hello\n", b"hello\n", 0)
        assert 0 < done.seconds < 60

    def test_arguments_pass_unchanged(self, stand_in: MakeStandIn) -> None:
        tool = stand_in("tool")
        process.run(["tool", *ODD])
        assert tool.calls == [ODD]

    def test_both_streams_are_kept_in_order(self, stand_in: MakeStandIn) -> None:
        stand_in("tool", body='os.write(1, b"1 out\\n"); os.write(2, b"2 err\\n"); os.write(1, b"3 out\\n")')
        assert process.run(["tool"]).output == "1 out\n2 err\n3 out\n"

    def test_output_that_is_no_utf8_is_readable_and_kept_raw(self, stand_in: MakeStandIn) -> None:
        stand_in("tool", body='os.write(1, b"a\\xffb")')
        done = process.run(["tool"])
        assert (done.output, done.raw) == ("a\ufffdb", b"a\xffb")

    def test_stdin_is_closed(self, stand_in: MakeStandIn) -> None:
        stand_in("tool", body="print(repr(sys.stdin.read()))")
        assert process.run(["tool"]).output == "''\n"

    def test_cwd(self, stand_in: MakeStandIn, tmp_path: Path) -> None:
        tool = stand_in("tool")
        process.run(["tool"], cwd=tmp_path)
        assert tool.cwds == [str(tmp_path)]

    def test_env_replaces_the_environment(self, stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("INHERITED", "1")
        tool = stand_in("tool")
        process.run(["tool"])
        process.run(["tool"], env={"PATH": os.environ["PATH"], "GIVEN": "2"})
        inherited, given = tool.environments
        assert inherited["INHERITED"] == "1"
        assert given["GIVEN"] == "2"
        assert "INHERITED" not in given

    def test_a_failure_holds_heading_output_command_code_and_fix(self, stand_in: MakeStandIn) -> None:
        tool = stand_in("tool", output="x.c:3: error: no\n", code=3)
        with pytest.raises(CompileError) as caught:
            process.run(["tool", "x.c"], heading="Compilation error", fix="mend x.c")
        assert str(caught.value) == (
            f"Compilation error:\nx.c:3: error: no\n\nCommand line: {tool.path} x.c\nexit code: 3\nfix: mend x.c"
        )
        assert (caught.value.code, caught.value.output) == (3, "x.c:3: error: no\n")
        assert caught.value.command == (tool.path, "x.c")

    def test_a_failure_is_a_runtime_error(self, stand_in: MakeStandIn) -> None:
        stand_in("tool", code=1)
        with pytest.raises(RuntimeError, match="Tool error"):
            process.run(["tool"])

    def test_without_check_a_failure_is_a_result(self, stand_in: MakeStandIn) -> None:
        stand_in("tool", output="no\n", code=3)
        done = process.run(["tool"], check=False)
        assert (done.code, done.output) == (3, "no\n")

    def test_a_tool_that_a_signal_ended(self, stand_in: MakeStandIn) -> None:
        stand_in("tool", body="os.kill(os.getpid(), 9)")
        assert process.run(["tool"], check=False).code == -signal.SIGKILL

    def test_runs_at_once_in_threads_do_not_mix(self, stand_in: MakeStandIn) -> None:
        stand_in("tool", body="print(args[0])")
        outputs: dict[str, str] = {}

        def work(name: str) -> None:
            outputs[name] = process.run(["tool", name]).output

        threads = [threading.Thread(target=work, args=(str(number),)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert outputs == {str(number): f"{number}\n" for number in range(6)}

    def test_megabytes_of_output(self, stand_in: MakeStandIn) -> None:
        stand_in("tool", body='sys.stdout.write("x" * (8 << 20))')
        assert len(process.run(["tool"]).output) == 8 << 20


class TestCannotStart:
    def test_a_program_without_its_interpreter(self, bin_folder: Path) -> None:
        script(bin_folder / "tool", "#!/none/sh\n")
        with pytest.raises(TVMError, match=r"cannot start '.*tool' in '\.': No such file"):
            process.run(["tool"])

    def test_a_file_that_is_no_program(self, bin_folder: Path) -> None:
        script(bin_folder / "tool", "no program\n")
        with pytest.raises(TVMError, match="Exec format error"):
            process.run(["tool"])

    def test_a_folder_that_is_not_there(self, stand_in: MakeStandIn, tmp_path: Path) -> None:
        stand_in("tool")
        with pytest.raises(TVMError, match=r"in '.*none': No such file"):
            process.run(["tool"], cwd=tmp_path / "none")


class TestLocate:
    def test_a_missing_name_lists_where_it_looked_and_a_fix(self, bin_folder: Path) -> None:
        with pytest.raises(ToolNotFound) as caught:
            process.run(["clang++"])
        assert caught.value.looked == (str(bin_folder),)
        assert str(caught.value) == (
            f"program not found: 'clang++'\nlooked in:\n  {bin_folder}\nfix: install clang++, or put its folder on PATH"
        )

    def test_a_fix_of_the_caller_wins(self) -> None:
        with pytest.raises(ToolNotFound, match="fix: set TVM_NDK_CC"):
            process.run(["clang++"], fix="set TVM_NDK_CC")

    def test_a_missing_path_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(ToolNotFound, match="sub/tool"):
            process.run(["sub/tool"], cwd=tmp_path)

    def test_a_relative_path_is_relative_to_cwd(self, stand_in: MakeStandIn, bin_folder: Path) -> None:
        tool = stand_in("tool")
        process.run(["./tool"], cwd=bin_folder)
        assert tool.calls == [[]]

    def test_the_path_of_the_given_environment_counts(self, stand_in: MakeStandIn, tmp_path: Path) -> None:
        stand_in("tool")
        with pytest.raises(ToolNotFound) as caught:
            process.run(["tool"], env={"PATH": str(tmp_path)})
        assert caught.value.looked == (str(tmp_path),)

    def test_without_path_the_systems_default(self) -> None:
        with pytest.raises(ToolNotFound) as caught:
            process.run(["no-such-tool"], env={})
        assert caught.value.looked == tuple(os.defpath.split(os.pathsep))

    def test_a_program_in_the_current_directory_is_not_found(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        script(tmp_path / "tool", "#!/bin/sh\n")
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("PATH", ".::")
        with pytest.raises(ToolNotFound):
            process.run(["tool"])

    def test_a_file_that_may_not_run_is_not_found(self, tmp_path: Path) -> None:
        (tmp_path / "tool").touch(0o644)
        with pytest.raises(ToolNotFound):
            process.locate(tmp_path / "tool")

    def test_a_link_keeps_its_name(self, stand_in: MakeStandIn, bin_folder: Path) -> None:
        (bin_folder / "tool++").symlink_to(stand_in("tool").path)
        assert process.locate("tool++") == str(bin_folder / "tool++")


# Runs the tool and two generations below it; all of them would run for ever.
FAMILY = """
import signal
if {deaf}:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = os.fork()
if child == 0:
    os.fork()
print("started", flush=True)
with open(args[0], "a") as file:
    file.write(f"{{os.getpid()}}\\n")
while True:
    signal.pause()
"""


class TestTimeLimit:
    @pytest.mark.parametrize("deaf", [False, True])
    def test_ends_the_whole_process_group(
        self,
        stand_in: MakeStandIn,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        deaf: bool,  # noqa: FBT001
    ) -> None:
        pids = tmp_path / "pids"

        class Overrun(subprocess.Popen[bytes]):
            """The limit is over when all three run, however busy this machine is."""

            def wait(self, timeout: float | None = None) -> int:
                if timeout is not None and timeout > 30:
                    assert eventually(lambda: pids.exists() and pids.read_text().count("\n") == 3)
                    raise subprocess.TimeoutExpired([], timeout)
                return super().wait(timeout)

        monkeypatch.setattr(subprocess, "Popen", Overrun)
        monkeypatch.setattr(_pidfd, "wait", lambda _pid, _limit: None)
        stand_in("tool", body=FAMILY.format(deaf=deaf))
        with pytest.raises(ToolTimeoutError) as caught:
            process.run(["tool", pids], timeout=60, heading="Compilation error")
        assert eventually(lambda: all(gone(int(pid)) for pid in pids.read_text().split()))
        assert caught.value.output == "started\n" * 3
        assert "Compilation error: ended after its limit of 60 s" in str(caught.value)

    def test_the_error_is_a_timeout_and_a_compile_error(self, stand_in: MakeStandIn) -> None:
        stand_in("tool", body="import signal; signal.pause()")
        with pytest.raises(TimeoutError) as caught:
            process.run(["tool"], timeout=0.2, check=False)
        assert isinstance(caught.value, CompileError)

    def test_a_daemon_that_keeps_the_output_open_does_not_hold_us(self, stand_in: MakeStandIn, tmp_path: Path) -> None:
        body = """
        import signal
        child = os.fork()
        if child == 0:
            os.setsid()
            signal.pause()
        with open(args[0], "w") as file:
            file.write(str(child))
        """
        stand_in("tool", body=body, output="done\n")
        done = process.run(["tool", tmp_path / "pid"], timeout=60)
        daemon = int((tmp_path / "pid").read_text())
        assert not gone(daemon)
        os.kill(daemon, signal.SIGKILL)
        assert done.output == "done\n"
        assert done.seconds < 30

    def test_a_daemon_that_goes_on_writing_takes_nothing_of_the_output_away(
        self, stand_in: MakeStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        class Shared(io.FileIO):
            """A daemon has the same offset, and writes when it moves back."""

            def seek(self, *place: int) -> int:
                at = super().seek(*place)
                self.write(b"daemon")
                return at

        monkeypatch.setattr(tempfile, "TemporaryFile", lambda: Shared(tmp_path / "output", "w+b"))
        stand_in("tool", output="done\n")
        assert process.run(["tool"]).output == "done\n"

    def test_an_interruption_ends_the_tool(self, stand_in: MakeStandIn, tmp_path: Path) -> None:
        # A shell starts what it puts into the background with this signal ignored.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        body = """
        with open(args[0], "w") as file:
            file.write(str(os.getpid()))
        os.kill(os.getppid(), 2)
        import signal
        signal.pause()
        """
        stand_in("tool", body=body)
        try:
            with pytest.raises(KeyboardInterrupt):
                process.run(["tool", tmp_path / "pid"])
        finally:
            signal.signal(signal.SIGINT, before)
        assert gone(int((tmp_path / "pid").read_text()))

    def test_a_tool_within_its_limit(self, stand_in: MakeStandIn) -> None:
        stand_in("tool", output="x")
        assert process.run(["tool"], timeout=60).output == "x"

    def test_ending_what_has_ended_is_quiet(self) -> None:
        child = subprocess.Popen([sys.executable, "-c", ""], start_new_session=True)
        child.wait()
        process.end_group(child)
        assert child.returncode == 0


class TestDaemon:
    def test_has_its_own_session_no_input_and_appends_to_its_log(self, stand_in: MakeStandIn, tmp_path: Path) -> None:
        tool = stand_in("daemon", body="print(os.getsid(0) == os.getpid(), repr(sys.stdin.read()))")
        (tmp_path / "log").write_text("before\n")
        pid = process.spawn_daemon(["daemon", *ODD], log=tmp_path / "log", env=os.environ)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        assert (tmp_path / "log").read_text() == "before\nTrue ''\n"
        assert tool.calls == [ODD]

    def test_its_log_is_private(self, stand_in: MakeStandIn, tmp_path: Path) -> None:
        stand_in("daemon")
        os.waitpid(process.spawn_daemon(["daemon"], log=tmp_path / "log", env=os.environ), 0)
        assert (tmp_path / "log").stat().st_mode & 0o077 == 0

    def test_a_missing_program(self, bin_folder: Path, tmp_path: Path) -> None:
        with pytest.raises(ToolNotFound) as caught:
            process.spawn_daemon(["daemon"], log=tmp_path / "log", env=os.environ)
        assert caught.value.looked == (str(bin_folder),)
        assert not (tmp_path / "log").exists()


class TestSpawnTied:
    def test_ends_when_its_input_does(self, stand_in: MakeStandIn, tmp_path: Path) -> None:
        stand_in("tied", body="print(os.getsid(0) == os.getpid(), repr(sys.stdin.read()))")
        tied = process.spawn_tied(["tied", *ODD], log=tmp_path / "log", env=os.environ)
        child = tied._child
        assert child.poll() is None
        assert child.stdin
        child.stdin.close()
        assert child.wait(10) == 0
        assert not tied.alive
        assert (tmp_path / "log").read_text() == "True ''\n"

    def test_is_ended_by_us_even_if_it_does_not_read(self, stand_in: MakeStandIn, tmp_path: Path) -> None:
        stand_in("tied", body="import time; time.sleep(60)")
        tied = process.spawn_tied(["tied"], log=tmp_path / "log", env=os.environ)
        tied.close()
        tied.close()
        assert not tied.alive

    def test_a_missing_program(self, bin_folder: Path, tmp_path: Path) -> None:
        with pytest.raises(ToolNotFound) as caught:
            process.spawn_tied(["tied"], log=tmp_path / "log", env=os.environ)
        assert caught.value.looked == (str(bin_folder),)


@pytest.fixture
def calls() -> list[ToolCall]:
    return []


class TestRecorder:
    def test_gets_the_call_with_tool_and_digests(
        self, stand_in: MakeStandIn, tmp_path: Path, calls: list[ToolCall]
    ) -> None:
        tool = stand_in("tool", output="tool 1.2\n")
        (tmp_path / "in.c").write_text("int x;")
        with recording(calls.append):
            process.run(["tool", "in.c", "-o", "out"], cwd=tmp_path, inputs=["in.c"], outputs=["out", "never"])
        (call,) = calls
        assert (call.kind, call.argv, call.exit) == ("process", (tool.path, "in.c", "-o", "out"), 0)
        assert call.cwd == str(tmp_path)
        assert call.tool == record.ToolIdentity(
            path=tool.path, version="tool 1.2", sha256=record.digest(Path(tool.path))
        )
        assert [(file.path, file.sha256) for file in call.inputs] == [("in.c", record.digest(tmp_path / "in.c"))]
        assert [(file.path, file.sha256) for file in call.outputs] == [("out", record.digest(tmp_path / "out"))]

    def test_inputs_are_hashed_before_the_tool_runs(
        self, stand_in: MakeStandIn, tmp_path: Path, calls: list[ToolCall]
    ) -> None:
        (tmp_path / "in").write_text("before")
        before = record.digest(tmp_path / "in")
        stand_in("tool", body='open("in", "w").write("after") if args else None')
        with recording(calls.append):
            process.run(["tool", "x"], cwd=tmp_path, inputs=["in"])
        assert calls[0].inputs[0].sha256 == before

    def test_a_failed_call_is_recorded_too(self, stand_in: MakeStandIn, calls: list[ToolCall]) -> None:
        stand_in("tool", code=4)
        with recording(calls.append), pytest.raises(CompileError):
            process.run(["tool"])
        assert [call.exit for call in calls] == [4]

    def test_secrets_never_reach_it(
        self, stand_in: MakeStandIn, calls: list[ToolCall], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "PASSWORD", "HTTPS_PROXY", "MY_CC"):
            monkeypatch.setenv(name, "hunter2")
        monkeypatch.setenv("CC", "gcc")
        stand_in("tool")
        with recording(calls.append):
            process.run(["tool", "https://user:hunter2@host/x"])
        assert "hunter2" not in repr(calls)
        assert calls[0].environment == {"CC": "gcc", "PATH": os.environ["PATH"], **locale()}
        assert calls[0].argv[1] == "https://host/x"

    def test_without_a_recorder_no_version_is_asked(self, stand_in: MakeStandIn) -> None:
        tool = stand_in("tool")
        process.run(["tool"])
        assert tool.calls == [[]]


def locale() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name in {"LANG", "TZ"} or name.startswith("LC_")}


class TestIdentify:
    def test_the_version_is_asked_once(self, stand_in: MakeStandIn) -> None:
        tool = stand_in("tool", output="\n  tool 1\nmore\n")
        assert process.identify(tool.path).version == process.identify(tool.path).version == "tool 1"
        assert tool.calls == [["--version"]]

    def test_a_changed_tool_is_asked_again(self, stand_in: MakeStandIn) -> None:
        first = process.identify(stand_in("tool", output="tool 1").path)
        second = process.identify(stand_in("tool", output="tool 1.0.2").path)
        assert (first.version, second.version) == ("tool 1", "tool 1.0.2")
        assert first.sha256 != second.sha256

    def test_a_tool_that_does_not_know_the_question(self, stand_in: MakeStandIn) -> None:
        assert process.identify(stand_in("tool", output="usage: tool", code=2).path).version == ""

    def test_a_tool_that_never_answers(self, stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(process, "_VERSION_LIMIT", 0.2)
        assert process.identify(stand_in("tool", body="import signal; signal.pause()").path).version == ""

    def test_the_path_is_the_real_one(self, stand_in: MakeStandIn, bin_folder: Path) -> None:
        tool = stand_in("tool-18")
        (bin_folder / "tool").symlink_to(tool.path)
        assert process.identify(str(bin_folder / "tool")).path == tool.path


def script(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)
