"""What several subcommands need: the project that the options mean, the engine, and where to print."""

import argparse
import sys
from pathlib import Path

from rich.console import Console

from tvm.error import EngineError
from tvm.matrix import loader
from tvm.matrix.engine import Engine, distinct, hosts, local
from tvm.matrix.model import Project
from tvm.matrix.plan import Plan
from tvm.matrix.session import Listener, Session, new_session


def select_engines(options: argparse.Namespace, chosen: Plan) -> dict[str, Engine]:
    """Return the engine of each cell of a plan: what the options, the environment or the matrix name."""
    return hosts.of_cells(chosen.project, [cell.name for cell in chosen.cells], options.engine)


def select_containers(options: argparse.Namespace, chosen: Plan, why: str) -> dict[str, Engine]:
    """Return the engine of each cell, for what this machine's own tools cannot do; `why` says what that is."""
    found = select_engines(options, chosen)
    for engine in found.values():
        if engine.name == local.NAME:
            msg = f"{why}; this is {engine.describe()}"
            raise EngineError(msg, fix="nox -s engine finds or starts one; or name one by --engine docker or podman")
    return found


def begin(
    project: Project,
    engines: dict[str, Engine],
    listener: Listener,
    **options: bool,
) -> Session:
    """Begin a run on the engines of its cells."""
    first, *others = distinct(engines.values())
    return new_session(project, first, listener, hosts=engines if others else None, **options)


def new_console() -> Console:
    """Return where results are printed."""
    # A file or a pipe has no width: a line must not be broken there.
    return Console() if sys.stdout.isatty() else Console(width=200, force_terminal=False)


def print_line(console: Console, text: str) -> None:
    """Print a line as it is, not broken at the console's width."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def load_project(options: argparse.Namespace) -> Project:
    """Load the matrix that the options name, or the nearest one."""
    return loader.load(options.matrix or loader.find_root(Path.cwd()))
