"""Subcommands that change the project itself: lock, new."""

import argparse

from rich.markup import escape
from rich.table import Table

from tvm.error import ExitCode
from tvm.matrix import lock, new
from tvm.matrix.commands._common import load_project, new_console, print_line


def lock_command(options: argparse.Namespace) -> ExitCode:
    """Refresh the locks and pins of images, and print what changed."""
    console = new_console()
    outcome = lock.lock(load_project(options), options.images, lambda text: print_line(console, f"lock {text}"))
    if outcome.changes:
        table = Table("pin of", "name", "old", "new")
        for change in outcome.changes:
            table.add_row(*map(escape, (change.place, change.name, change.old or "-", change.new or "-")))
        console.print(table)
    else:
        print_line(console, "nothing changed")
    for kept in outcome.kept:
        print_line(console, f"kept {kept.place}: {kept.why}")
    if outcome.errors:
        raise outcome.errors[0]
    return ExitCode.OK


def new_command(options: argparse.Namespace) -> ExitCode:
    """Write a new cell from the template, and say what comes next."""
    for path in new.create(load_project(options), options.name, options.suite):
        print(path)
    print(f"next: nox -s {options.name} runs it as it is; then put your own toolchain into images/{options.name}")
    return ExitCode.OK
