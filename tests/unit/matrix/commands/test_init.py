from argparse import Namespace
from importlib import import_module

import pytest

from tvm.error import ExitCode
from tvm.matrix import cli, commands
from tvm.matrix.commands import show


def test_every_subcommand_has_a_function_in_its_module() -> None:
    missing = [
        command
        for command, module in commands._MODULES.items()
        if not callable(getattr(import_module(f"tvm.matrix.commands.{module}"), f"{command}_command", None))
    ]
    assert missing == []


def test_the_function_of_the_subcommand_gets_the_options(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = list[Namespace]()

    def record(options: Namespace) -> ExitCode:
        seen.append(options)
        return ExitCode.COVERAGE

    monkeypatch.setattr(show, "explain_command", record)
    options = cli.parser().parse_args(["explain", "ndk"])
    assert (commands.execute(options), seen) == (ExitCode.COVERAGE, [options])
