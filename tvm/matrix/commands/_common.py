"""What several subcommands need: the project that the options mean, the engine, and where to print."""

import argparse
import sys
from pathlib import Path

from rich.console import Console

from tvm.error import EngineError
from tvm.matrix import loader
from tvm.matrix.engine import Engine, local, select
from tvm.matrix.model import Project


def select_engine(options: argparse.Namespace) -> Engine:
    """Return the engine that the options, or the environment, name."""
    return select.select(options.engine)


def select_containers(options: argparse.Namespace, why: str) -> Engine:
    """Return the engine that is named, for what this machine's own tools cannot do; `why` says what that is."""
    engine = select_engine(options)
    if engine.name == local.NAME:
        msg = f"{why}; this is {engine.describe()}"
        raise EngineError(msg, fix="nox -s engine finds or starts one; or name one by --engine docker or podman")
    return engine


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
