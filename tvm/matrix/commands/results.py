"""Subcommands that read results: coverage, report, diff, merge."""

import argparse
from collections.abc import Sequence

from rich.console import Console

from tvm.error import ExitCode
from tvm.matrix import coverage, diff, merge, plan, report, step_summary, table, tree
from tvm.matrix.commands._common import load_project, new_console, print_line
from tvm.matrix.model import Project
from tvm.matrix.report import Entry
from tvm.matrix.results import Results


def coverage_command(options: argparse.Namespace) -> ExitCode:
    """Print hardware x depth; fail where a cell that is named fell short, without names where one of CI did."""
    project = load_project(options)
    rows = coverage.rows(project, tree.snapshot(project.root).sha256)
    shown = [cell.name for cell in plan.plan(project, options.cells or ["all"]).cells]
    required = shown if options.cells else coverage.required(project)
    console = new_console()
    console.print(table.coverage_table([row for row in rows if row.cell in shown]))
    for name in (name for name in shown if name not in required):
        print_line(
            console,
            f"{name}: {coverage.summary([row for row in rows if row.cell == name])}; not required: no `ci: true`",
        )
    coverage.require(rows, required)
    return ExitCode.OK


def report_command(options: argparse.Namespace) -> ExitCode:
    """Rewrite the report and print its table."""
    project = load_project(options)
    results = Results(folder=project.build)
    found = report.write(project, tree.snapshot(project.root).sha256)
    print_results(new_console(), results, found, ())
    return ExitCode.OK


def diff_command(options: argparse.Namespace) -> ExitCode:
    """Print what differs between two manifests; end with 1 where anything does, as diff(1) ends."""
    found = diff.changes(diff.read(options.before), diff.read(options.after))
    print(diff.text(found), end="")
    return ExitCode.FAILED if found else ExitCode.OK


def merge_command(options: argparse.Namespace) -> ExitCode:
    """Take over the results of other machines, then write the report and print its table."""
    project = load_project(options)
    console = new_console()
    merge.merge(project, options.folders, lambda text: print_line(console, text))
    show_report(console, project, tree.snapshot(project.root).sha256, ())
    return ExitCode.OK


def show_report(console: Console, project: Project, tree_sha256: str, cells: Sequence[str]) -> None:
    """Rewrite the report, tell GitHub, and print the tables."""
    found = report.write(project, tree_sha256)
    step_summary.append(coverage.rows(project, tree_sha256), found)
    print_results(console, Results(folder=project.build), found, cells)


def print_results(console: Console, results: Results, found: Sequence[Entry], cells: Sequence[str]) -> None:
    """Print the artefacts of `cells`, and the table of all cells that have a result."""
    mine = [entry for entry in found if entry.cell in cells and entry.current]
    for entry in mine:
        if entry.own["artefacts"]:
            console.print(table.artefact_table(entry.own))
    console.print(table.results_table(found, [report.repro_proof(results, entry) for entry in found]))
    for entry in mine:
        print_line(console, f"{entry.cell}: {entry.status}, manifest {entry.folder / 'manifest.json'}")
