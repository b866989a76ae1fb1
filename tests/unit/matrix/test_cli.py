import os
import signal
import subprocess
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.unit.matrix.projects import write_project
from tvm.error import CompileError, ConfigError, EngineError, ExitCode, TVMError
from tvm.matrix import cli, commands
from tvm.matrix.signals import Interrupted

ROOT = Path(__file__).resolve().parents[3]


def plays(monkeypatch: pytest.MonkeyPatch, command: Callable[[Namespace], ExitCode]) -> None:
    """Let every subcommand do `command`."""
    monkeypatch.setattr(commands, "execute", command)


def ends_with(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> int:
    """Return the exit code of a subcommand that raises."""

    def raises(_options: Namespace) -> ExitCode:
        raise error

    plays(monkeypatch, raises)
    return cli.main(["list"])


def test_a_subcommand_ends_with_the_code_that_it_returns(monkeypatch: pytest.MonkeyPatch) -> None:
    plays(monkeypatch, lambda _options: ExitCode.COVERAGE)
    assert cli.main(["list"]) == 10


@pytest.mark.parametrize("error", [ConfigError("bad", fix="mend it"), EngineError("gone"), TVMError("broke")])
def test_an_error_is_printed_with_its_code_and_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: TVMError
) -> None:
    assert ends_with(monkeypatch, error) == error.exit_code
    assert capsys.readouterr().err == f"tvm-matrix: error: {error}\n"


def test_a_compile_error_is_printed_as_the_tool_wrote_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    error = CompileError("build failed", command=["cc", "a.c"], code=1, output="a.c:1:1: error: no")
    assert ends_with(monkeypatch, error) == 1
    assert capsys.readouterr().err == f"tvm-matrix: {error}\n"


def test_user_and_password_in_a_url_are_not_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ends_with(monkeypatch, EngineError("tcp://me:pw@host does not answer"))
    assert capsys.readouterr().err == "tvm-matrix: error: tcp://host does not answer\n"


def test_an_interrupt_is_told_in_one_word(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert ends_with(monkeypatch, Interrupted(signal.SIGTERM)) == 143
    assert capsys.readouterr().err == "tvm-matrix: interrupted\n"


def test_an_error_of_ours_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ZeroDivisionError):
        ends_with(monkeypatch, ZeroDivisionError())


@pytest.mark.parametrize("command", sorted(commands._MODULES))
def test_every_subcommand_has_a_help_text(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main([command, "--help"])
    assert caught.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: python -m tvm.matrix {command} [-h]")


def test_the_help_lists_every_subcommand(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    words = capsys.readouterr().out.split()
    assert [command for command in commands._MODULES if command not in words] == []


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["unknown"],
        ["list", "--bad"],
        ["run"],
        ["run", "--kee", "ndk"],
        ["explain"],
        ["build", "a.c", "-o", "b"],
        ["build", "a.c", "--cell", "ndk"],
        ["build", "--cell", "ndk", "-o", "b"],
        ["engine", "restart"],
    ],
)
def test_wrong_usage_ends_with_two(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 2
    assert capsys.readouterr().err.startswith("usage: python -m tvm.matrix")


def test_build_takes_names_with_a_leading_dash_after_two_dashes() -> None:
    options = cli.parser().parse_args(["build", "--cell", "ndk", "-o", "x", "-I", "a", "-I", "b", "--", "-odd.c"])
    assert (options.sources, options.folders) == ([Path("-odd.c")], [Path("a"), Path("b")])


@contextmanager
def program(code: str, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """Start Python with the tree importable; it is gone at the end of the block."""
    argv = [sys.executable, "-c", code, *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": ""}
    with subprocess.Popen(
        argv, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        try:
            yield child
        finally:
            child.kill()


WAITS = """
import signal, sys
from tvm.matrix import cli, commands
def execute(options):
    try:
        print("ready", flush=True)
        signal.pause()
    finally:
        print("cleaning", flush=True)
        sys.stdin.readline()
        print("cleaned", flush=True)
commands.execute = execute
sys.exit(cli.main(["list"]))
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_the_process_with_its_code_after_the_clean_up(number: signal.Signals, code: int) -> None:
    with program(WAITS) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        child.send_signal(number)
        assert child.stdout.readline() == "cleaning\n"
        # A second one, of another kind, changes nothing.
        child.send_signal(signal.SIGTERM)
        child.send_signal(signal.SIGINT)
        output, errors = child.communicate("go on\n", timeout=30)
    assert (output, errors, child.returncode) == ("cleaned\n", "tvm-matrix: interrupted\n", code)


MAIN = "import sys; from tvm.matrix.cli import main; sys.exit(main(sys.argv[1:]))"


def test_a_reader_that_has_gone_is_no_traceback(tmp_path: Path) -> None:
    write_project(tmp_path)
    with program(MAIN, "--matrix", str(tmp_path / "matrix.yaml"), "list") as child:
        assert child.stdout is not None
        assert child.stderr is not None
        # What the list prints is small: without a reader it fails only when the buffer is written.
        child.stdout.close()
        errors = child.stderr.read()
        assert (errors, child.wait(30)) == ("", 1)


def test_a_mistake_in_the_matrix_ends_the_process_with_three_and_no_traceback(tmp_path: Path) -> None:
    write_project(tmp_path, "schema: 1\nimages: {}\ncells: {}\nbad: 1\n")
    with program(MAIN, "--matrix", str(tmp_path / "matrix.yaml"), "list") as child:
        output, errors = child.communicate(timeout=30)
    assert (output, child.returncode) == ("", 3)
    assert errors.startswith("tvm-matrix: error: matrix.yaml has 1 mistake:\nmatrix.yaml:4: bad: unknown key")


LOADED = f"{MAIN.replace('sys.exit(', 'code = (')}; print(code, *sorted(sys.modules), file=sys.stderr)"


@pytest.mark.parametrize("arguments", [["list"], ["explain", "host"], ["ci"], ["schema"]])
def test_what_only_reads_the_matrix_loads_no_engine_and_no_table(tmp_path: Path, arguments: list[str]) -> None:
    write_project(tmp_path)
    with program(LOADED, "--matrix", str(tmp_path / "matrix.yaml"), *arguments) as child:
        output, errors = child.communicate(timeout=60)
    code, *modules = errors.split()
    assert code == "0", errors
    assert output
    assert {"docker", "rich", "requests", "junitparser", "numpy", "tvm_ffi"} & set(modules) == set()


def test_the_command_line_alone_loads_no_model() -> None:
    with program("import sys, tvm.matrix.cli; print(*sorted(sys.modules))") as child:
        output, errors = child.communicate(timeout=30)
    assert (errors, child.returncode) == ("", 0)
    assert {"tvm.matrix.cli", "pydantic"} & set(output.split()) == {"tvm.matrix.cli"}
