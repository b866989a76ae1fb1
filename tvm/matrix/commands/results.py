"""Subcommands that read results: coverage, report."""

import argparse
from collections.abc import Sequence

from rich.console import Console

from tvm.error import ExitCode
from tvm.matrix import coverage, plan, report, table, tree
from tvm.matrix.commands._common import load_project, new_console, print_line
from tvm.matrix.report import Entry
from tvm.matrix.results import Results


def coverage_command(options: argparse.Namespace) -> ExitCode:
    """Print hardware x depth; with cells named, fail where one of theirs fell short, else where any that has run did."""
    project = load_project(options)
    rows = coverage.rows(project, tree.snapshot(project.root).sha256)
    cells = [cell.name for cell in plan.plan(project, options.cells or ["all"]).cells]
    console = new_console()
    console.print(table.coverage_table([row for row in rows if row.cell in cells]))
    coverage.require(rows, cells)
    return ExitCode.OK


def report_command(options: argparse.Namespace) -> ExitCode:
    """Rewrite the report and print its table."""
    project = load_project(options)
    results = Results(folder=project.build)
    found = report.write(results, tree.snapshot(project.root).sha256)
    print_results(new_console(), results, found, ())
    return ExitCode.OK


def print_results(console: Console, results: Results, found: Sequence[Entry], cells: Sequence[str]) -> None:
    """Print the artefacts of `cells`, and the table of all cells that have a result."""
    mine = [entry for entry in found if entry.cell in cells and entry.current]
    for entry in mine:
        if entry.own["artefacts"]:
            console.print(table.artefact_table(entry.own))
    console.print(table.results_table(found, [report.repro_proof(results, entry) for entry in found]))
    for entry in mine:
        print_line(console, f"{entry.cell}: {entry.status}, manifest {entry.folder / 'manifest.json'}")
