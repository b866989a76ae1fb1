"""Cells as the page gets them, made without a run."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tests.unit.matrix.results_data import a_run, an_outcome
from tvm.matrix import manifest
from tvm.matrix.manifest import Run
from tvm.matrix.outcome import CellOutcome
from tvm.matrix.page.view import Cell

# What would break out of text, of an attribute, of a script or of a comment.
HOSTILE = "\"><script>alert(1)</script><!-- ' & </pre>"


def a_cell(
    outcome: CellOutcome | None = None,
    *,
    run: Run | None = None,
    folder: Path = Path("results/first"),
    current: bool = True,
) -> Cell:
    """Return a cell; without an outcome one that passed."""
    outcome = outcome or an_outcome()
    data = manifest.statement(outcome, run or a_run())
    return Cell(name=outcome.cell, folder=folder, current=current, revision="bbbbbbbbbbbb", data=data)


def with_check(
    outcome: CellOutcome, name: str, *, command: Sequence[str] = (), why: str = "", fix: str = ""
) -> CellOutcome:
    """Return an outcome whose one check has another name, and a command, a why and a fix."""
    (check,) = outcome.checks
    return replace(outcome, checks=(replace(check, name=name, command=tuple(command), why=why, fix=fix),))
