"""Subcommands that look after the engine and this machine: engine, doctor, prune."""

import argparse

from tvm.error import ExitCode
from tvm.matrix import doctor, prune
from tvm.matrix.commands._common import load_project, new_console
from tvm.matrix.engine import hosts, private


def engine_command(options: argparse.Namespace) -> ExitCode:
    """Find or start an engine; say how it is; stop ours."""
    match options.action:
        case "status":
            private.status(_say)
        case "stop":
            private.stop(_say)
        case _:
            private.ensure(_say)
    return ExitCode.OK


def _say(text: str) -> None:
    print(text, flush=True)


def doctor_command(options: argparse.Namespace) -> ExitCode:
    """Print what is wrong on this machine and how to mend it."""
    return doctor.show(load_project(options), options.engine, new_console())


def prune_command(options: argparse.Namespace) -> ExitCode:
    """Remove what is ours and old."""
    project, console = load_project(options), new_console()
    return prune.show(project, hosts.every(project, options.engine), console, everything=options.all)
