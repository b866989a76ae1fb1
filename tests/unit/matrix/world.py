"""A project of two cells in a folder of its own, and a run of it on the engine in memory."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.unit.matrix.fake_engine import FakeEngine, Program, passes, prints
from tvm.error import CellFailedError
from tvm.matrix import plan, runner
from tvm.matrix.model import Matrix, Project
from tvm.matrix.outcome import CellOutcome, CheckOutcome
from tvm.matrix.plan import Plan
from tvm.matrix.results import Results
from tvm.matrix.session import Session, new_session

_MATRIX = {
    "schema": 1,
    "suites": {"trixie": {}},
    "images": {
        "first": {"suite": "trixie", "tools": {"gcc": "==14.*", "python": "==3.13.*"}},
        "second": {"suite": "trixie", "tools": {"python": "==3.13.*"}},
    },
    "cells": {
        "first": {
            "image": "first",
            "archs": {"x86_64": "executed", "aarch64": "linked"},
            "checks": {"cc": ["python", "gcc"]},
            "timeout": 60,
        },
        "second": {"image": "second", "archs": {"x86_64": "compiled"}, "checks": {"tar": ["python"]}},
    },
}
CHECK_CC, CHECK_TAR = "tests/matrix/check_cc.py", "tests/matrix/check_tar.py"


def make_project(root: Path) -> Project:
    """Return a project whose tree holds a library file, a check and a note."""
    for name, text in (("tvm/a.py", "A = 1\n"), ("tests/matrix/check_cc.py", "# cc\n"), ("notes.txt", "note\n")):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return Project(root=root, matrix=Matrix.model_validate(_MATRIX))


def make_engine(folder: Path) -> FakeEngine:
    """Return an engine whose tools have the right versions and whose two checks pass."""
    programs = {
        "gcc --version": prints("gcc (Debian 14.2.0-19) 14.2.0\n"),
        CHECK_CC: passes(),
        CHECK_TAR: passes(b"a tar", "a.tar"),
        "python --version": prints("Python 3.13.5\n"),
    }
    return FakeEngine(folder=folder, programs=programs)


@dataclass(kw_only=True)
class Told:
    """A listener that keeps what it is told."""

    lines: list[str] = field(default_factory=list)
    logs: dict[str, str] = field(default_factory=dict)

    def started(self, cell: str) -> None:
        """Keep that a cell began."""
        self.lines.append(f"{cell} started")

    def progress(self, cell: str, text: str) -> None:
        """Keep one step."""
        self.lines.append(f"{cell}: {text}")

    def checked(self, cell: str, check: CheckOutcome, log: str) -> None:
        """Keep how a check ended."""
        self.lines.append(f"{cell}: {check.name} {check.status.value}")
        self.logs[check.name] = log

    def ended(self, outcome: CellOutcome, folder: Path) -> None:
        """Keep how a cell ended."""
        self.lines.append(f"{outcome.cell} {outcome.status.value} in {folder.name}")


@dataclass(frozen=True, kw_only=True)
class World:
    """A project, an engine and a listener."""

    project: Project
    engine: FakeEngine
    told: Told = field(default_factory=Told)

    @property
    def results(self) -> Results:
        """The project's results."""
        return Results(folder=self.project.build)

    def plan(self, *cells: str) -> Plan:
        """Return the plan of some cells."""
        return plan.plan(self.project, cells)

    def session(self, *, keep: bool = False) -> Session:
        """Begin a run."""
        return new_session(self.project, self.engine, self.told, keep=keep)

    def run(self, *cells: str, keep: bool = False) -> list[CellOutcome]:
        """Run cells in a session of its own."""
        return runner.run_cells(self.session(keep=keep), self.plan(*cells))

    def failure(self, program: Program, *, keep: bool = False) -> CellFailedError:
        """Run the cell `first` with another check and return the error that it ends with."""
        self.engine.programs[CHECK_CC] = program
        with pytest.raises(CellFailedError) as caught:
            self.run("first", keep=keep)
        return caught.value

    def staged(self) -> list[str]:
        """Return the names of folders in the making that lie in the results."""
        return [path.name for path in self.results.folder.glob("*.new-*")]


def make_world(folder: Path) -> World:
    """Return a world below `folder`."""
    return World(project=make_project(folder / "project"), engine=make_engine(folder / "engine"))


def bytes_of(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder with its bytes."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
