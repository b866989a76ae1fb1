"""Subcommands that open boxes: run, repro, build."""

import argparse

from rich.console import Console

from tvm.error import ExitCode, TVMError
from tvm.matrix import plan, report, repro, runner, table, userbuild
from tvm.matrix.commands._common import load_project, new_console, print_line, select_containers, select_engine
from tvm.matrix.commands.results import show_report
from tvm.matrix.outcome import CellOutcome


def run_command(options: argparse.Namespace) -> ExitCode:
    """Run cells, then print the table of all results."""
    project = load_project(options)
    chosen = plan.plan(project, options.cells)
    cells = [cell.name for cell in chosen.cells]
    console = new_console()
    with table.listener(console, cells, report.last_seconds(project, cells)) as listener:
        session = runner.new_session(
            project,
            select_engine(options),
            listener,
            keep=options.keep,
            gpu=options.gpu,
            require_all=options.require_all,
        )
        failure = _failure(session, chosen)
    show_report(console, project, session.tree.sha256, cells)
    if failure:
        raise failure
    return ExitCode.OK


def _failure(session: runner.Session, chosen: plan.Plan) -> TVMError | None:
    """Run cells and return the error that they end with, if any: the tables are printed before it."""
    try:
        runner.run_cells(session, chosen)
    except TVMError as error:
        return error
    return None


def repro_command(options: argparse.Namespace) -> ExitCode:
    """Build cells twice and compare."""
    project = load_project(options)
    console = new_console()
    chosen = plan.plan(project, options.cells)
    engine = select_containers(options, "repro builds twice in containers that differ in user and host name")
    with table.listener(console, [cell.name for cell in chosen.cells]) as listener:
        session = runner.new_session(project, engine, listener)
        repro.repro_cells(session, chosen, lambda outcome: _print_proof(console, outcome))
    return ExitCode.OK


def _print_proof(console: Console, outcome: CellOutcome) -> None:
    for item in outcome.artefacts:
        print_line(console, f"{item.sha256}  {item.name}")
    differed = ", ".join(repro.DIFFERENCES)
    count = len(outcome.artefacts)
    print_line(console, f"{outcome.cell}: {count} artefacts, two builds identical; the builds differed in {differed}")


def build_command(options: argparse.Namespace) -> ExitCode:
    """Build a user's sources in one or several cells."""
    request = userbuild.Request(
        sources=tuple(options.sources),
        folders=tuple(options.folders),
        output=options.output,
        arch=options.arch,
        options=tuple(options.options),
    )
    userbuild.check(request)
    project = load_project(options)
    chosen = plan.plan(project, options.cells)
    console = new_console()
    engine = select_containers(options, "build takes the toolchain of a cell's image")
    with table.listener(console, [cell.name for cell in chosen.cells]) as listener:
        session = runner.new_session(project, engine, listener)
        built = userbuild.build_all(session, chosen, request)
    for product in built:
        print_line(
            console, f"{product.path}: {product.cell} {product.arch}, {product.size} bytes, sha256 {product.sha256}"
        )
    return ExitCode.OK
