"""Subcommands that change the project itself: lock, new."""

import argparse

from rich.markup import escape
from rich.table import Table

from tvm.error import ConfigError, ExitCode
from tvm.matrix import loader, lock, new
from tvm.matrix.commands._common import load_project, new_console, print_line
from tvm.matrix.model import Project


def lock_command(options: argparse.Namespace) -> ExitCode:
    """Refresh the locks and pins of images, and print what changed."""
    console = new_console()
    outcome = lock.lock(_own(options), options.images, lambda text: print_line(console, f"lock {text}"))
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
    for path in new.create(_own(options), options.name, options.suite):
        print(path)
    print(f"next: nox -s {options.name} runs it as it is; then put your own toolchain into images/{options.name}")
    return ExitCode.OK


def _own(options: argparse.Namespace) -> Project:
    """Load a matrix that is to be changed: it stands in the file that every other command reads."""
    named = options.matrix
    if named and not named.is_dir() and named.name != loader.FILE:
        msg = f"{named} is not called {loader.FILE}: it can be read, not changed"
        raise ConfigError(msg, fix="name a folder, or run it in the project")
    return load_project(options)
