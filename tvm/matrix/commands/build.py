"""Subcommands that open boxes: run, repro, build."""

import argparse

from rich.console import Console

from tvm.error import ExitCode, TVMError
from tvm.matrix import plan, report, repro, repro_images, runner, shell, table, userbuild
from tvm.matrix.commands._common import begin, load_project, new_console, print_line, select_containers, select_engines
from tvm.matrix.commands.results import show_report
from tvm.matrix.outcome import CellOutcome
from tvm.matrix.session import Session


def run_command(options: argparse.Namespace) -> ExitCode:
    """Run cells, then print the table of all results."""
    project = load_project(options)
    chosen = plan.plan(project, options.cells)
    if options.shell:
        return _shell(options, chosen)
    cells = [cell.name for cell in chosen.cells]
    console = new_console()
    with table.listener(console, cells, report.last_seconds(project, cells)) as listener:
        engines = select_engines(options, chosen)
        session = begin(project, engines, listener, keep=options.keep, gpu=options.gpu, require_all=options.require_all)
        failure = _failure(session, chosen)
    show_report(console, project, session.tree.sha256, cells)
    if failure:
        raise failure
    return ExitCode.OK


def _shell(options: argparse.Namespace, chosen: plan.Plan) -> ExitCode:
    """Open a shell in a box of the one cell that is named."""
    cell = shell.the_cell(chosen)
    engines = select_containers(options, chosen, "--shell opens a box of the cell's image")
    # Lines, on a terminal too: the shell has it to itself.
    session = begin(chosen.project, engines, table.Lines(console=new_console()), gpu=options.gpu)
    shell.open_shell(session, cell)
    return ExitCode.OK


def _failure(session: Session, chosen: plan.Plan) -> TVMError | None:
    """Run cells and return the error that they end with, if any: the tables are printed before it."""
    try:
        runner.run_cells(session, chosen)
    except TVMError as error:
        return error
    return None


def repro_command(options: argparse.Namespace) -> ExitCode:
    """Build cells, or their images, twice and compare."""
    project = load_project(options)
    console = new_console()
    chosen = plan.plan(project, options.cells)
    engines = select_containers(options, chosen, "repro builds twice in containers that differ in user and host name")
    with table.listener(console, [cell.name for cell in chosen.cells]) as listener:
        session = begin(project, engines, listener)
        if options.images:
            repro_images.repro_images(session, chosen, lambda same: _print_same(console, same))
        else:
            repro.repro_cells(session, chosen, lambda outcome: _print_proof(console, outcome))
    return ExitCode.OK


def _print_same(console: Console, same: repro_images.Same) -> None:
    held = f"{same.packages} packages, {same.tools} tools"
    print_line(console, f"image {same.image}: {held}, two builds hold the same")


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
    userbuild.require_builders(chosen)
    console = new_console()
    engines = select_containers(options, chosen, "build takes the toolchain of a cell's image")
    with table.listener(console, [cell.name for cell in chosen.cells]) as listener:
        session = begin(project, engines, listener)
        built = userbuild.build_all(session, chosen, request)
    for product in built:
        print_line(
            console, f"{product.path}: {product.cell} {product.arch}, {product.size} bytes, sha256 {product.sha256}"
        )
    return ExitCode.OK
