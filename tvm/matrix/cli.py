"""The command line: what each subcommand takes, and how errors and signals become exit codes."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from tvm.error import CompileError, ExitCode, TVMError
from tvm.matrix import commands
from tvm.matrix.signals import Interrupted, interruptible
from tvm.support.record import strip_credentials


def main(arguments: Sequence[str]) -> int:
    """Run one subcommand and return its exit code: see tvm.error.ExitCode. A user's mistake prints no traceback."""
    options = parser().parse_args(arguments)
    try:
        with interruptible():
            code = int(commands.execute(options))
        # What is left in the buffer shows only now whether anybody reads it.
        print(end="", flush=True)
    except BrokenPipeError:
        # Who read our output has gone (`| head`): nothing more can be said there.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return int(ExitCode.FAILED)
    except TVMError as error:
        _complain(error)
        return int(error.exit_code)
    except Interrupted as interrupt:
        print("tvm-matrix: interrupted", file=sys.stderr)
        return int(interrupt.exit_code)
    return code


def parser() -> argparse.ArgumentParser:
    """Return the parser of all subcommands."""
    top = argparse.ArgumentParser(prog="python -m tvm.matrix", description=__doc__, allow_abbrev=False)
    top.add_argument(
        "--matrix", type=Path, metavar="FILE", help="the matrix (default: the nearest matrix.yaml at or above here)"
    )
    subcommands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _runs(subcommands)
    _shows(subcommands)
    _keeps(subcommands)
    return top


if TYPE_CHECKING:
    # argparse has no public name for what add_subparsers returns.
    _Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001


def _runs(subcommands: "_Commands") -> None:
    run = _command(subcommands, "run", "run cells: build their images, run their checks, keep their artefacts")
    _cells(run)
    _engine(run)
    run.add_argument(
        "--keep", action="store_true", help="keep the container of a cell that failed, and say how to look into it"
    )
    run.add_argument(
        "--shell",
        action="store_true",
        help="open a shell in a box of the cell instead: its image, the tree, no network",
    )
    run.add_argument(
        "--require-all",
        action="store_true",
        help="fail where a check is unavailable: without an engine, for want of a tool on this machine",
    )
    run.add_argument(
        "--gpu",
        action="store_true",
        help="pass the GPU into the box, where engine and machine have one: checks run the kernels",
    )
    repro = _command(subcommands, "repro", "build cells twice, differently, and compare the bytes")
    _cells(repro)
    repro.add_argument(
        "--images",
        action="store_true",
        help="build the images of the cells twice instead, the second time every step anew, and compare what they hold",
    )
    _engine(repro)
    build = _command(subcommands, "build", "build your own sources with the toolchain of a cell")
    build.add_argument("sources", nargs="+", type=Path, metavar="SRC", help="a source file")
    build.add_argument(
        "--cell", action="append", required=True, dest="cells", metavar="CELL", help="the cell (several: out/CELL/NAME)"
    )
    build.add_argument(
        "-o",
        dest="output",
        type=Path,
        required=True,
        metavar="OUT",
        help="the product; its suffix says what: .so, .a, .o, and what the cell makes besides",
    )
    build.add_argument(
        "-I", dest="folders", type=Path, action="append", default=[], metavar="DIR", help="a folder of headers"
    )
    build.add_argument("--arch", help="an arch of the cell (default: its first)")
    build.add_argument(
        "--option",
        action="append",
        default=[],
        dest="options",
        metavar="OPTION",
        help="one more option for the compiler: --option=-O3",
    )
    _engine(build)


def _shows(subcommands: "_Commands") -> None:
    _command(subcommands, "list", "list the cells")
    explain = _command(subcommands, "explain", "print exactly what would run")
    _cells(explain)
    _engine(explain)
    coverage = _command(subcommands, "coverage", "hardware x depth: what each arch reached, and the why of each gap")
    _cells(coverage, optional=True)
    _command(subcommands, "report", "rewrite the report from all results and print the table")
    diff = _command(subcommands, "diff", "what differs between two results: packages, tools, artefacts, environment")
    diff.add_argument("before", type=Path, metavar="A", help="a manifest.json, or the folder of a cell's result")
    diff.add_argument("after", type=Path, metavar="B", help="another one")
    merge = _command(subcommands, "merge", "join the results of many machines into one report")
    merge.add_argument(
        "folders", nargs="+", type=Path, metavar="FOLDER", help="a folder that holds results: build/matrix of a machine"
    )
    ci = _command(subcommands, "ci", "the cells marked `ci: true` as JSON for a GitHub matrix, or what a CI runs")
    kind = ci.add_mutually_exclusive_group()
    kind.add_argument(
        "--format",
        choices=["github", "gitlab", "json"],
        help="print a whole GitHub workflow or GitLab pipeline with a job that joins the results, or JSON for any other CI",
    )
    kind.add_argument("--workflow", action="store_true", help="the same as --format github")
    _command(subcommands, "schema", "print the JSON schema of matrix.yaml")


def _keeps(subcommands: "_Commands") -> None:
    engine = _command(subcommands, "engine", "find a container engine, or start one of our own")
    engine.add_argument("action", nargs="?", choices=["start", "status", "stop"], default="start")
    _engine(_command(subcommands, "doctor", "look for what is wrong on this machine, and say how to mend it"))
    lock = _command(subcommands, "lock", "refresh the locks and pins of images, and show what changed")
    lock.add_argument("images", nargs="*", metavar="IMAGE", help="an image of matrix.yaml, or base (default: all)")
    new = _command(subcommands, "new", "write a new cell from a template: image, check, and the lines in matrix.yaml")
    new.add_argument("name", metavar="NAME", help="the name of the cell and of its image")
    new.add_argument(
        "--suite", help="the Debian suite that the image stands on (default: the first that does not roll)"
    )
    prune = _command(
        subcommands, "prune", "remove our images of old recipes, venvs of old locks, and what killed runs left"
    )
    prune.add_argument("--all", action="store_true", help="remove every image and every venv of ours")
    _engine(prune)


def _command(subcommands: "_Commands", name: str, text: str) -> argparse.ArgumentParser:
    return subcommands.add_parser(name, help=text, description=text, allow_abbrev=False)


def _cells(command: argparse.ArgumentParser, *, optional: bool = False) -> None:
    command.add_argument(
        "cells", nargs="*" if optional else "+", metavar="CELL", help="a cell of matrix.yaml, or `all`"
    )


def _engine(command: argparse.ArgumentParser) -> None:
    command.add_argument("--engine", help="auto, docker, podman or local (default: TVM_MATRIX_ENGINE, else auto)")


def _complain(error: TVMError) -> None:
    text = str(error) if isinstance(error, CompileError) else f"error: {error}"
    print(f"tvm-matrix: {strip_credentials(text)}", file=sys.stderr)
