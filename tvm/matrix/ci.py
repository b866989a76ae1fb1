"""Continuous integration out of matrix.yaml: the cells with `ci: true` as data. ci_github and ci_gitlab write files from it."""

import json
import math
from typing import Any

from tvm.matrix.model import Project
from tvm.matrix.plan import plan

# What building an image may take before the cell's own time begins, in minutes.
_BUILD_MINUTES = 45
# Where the results of other machines lie while they are joined: a folder that is no part of the tree.
PARTS = "build/parts"


def cells(project: Project) -> list[str]:
    """Return the names of the cells for CI, in the order of matrix.yaml."""
    return [name for name, cell in project.matrix.cells.items() if cell.ci]


def minutes(project: Project, names: list[str]) -> int:
    """Return after how many minutes a job of any of these cells may be given up: its image is built first."""
    limits = [cell.limit for cell in plan(project, names).cells] if names else [0]
    return math.ceil(max(limits) / 60) + _BUILD_MINUTES


def results(cell: str) -> list[str]:
    """Return the folders that a cell's job must hand over: one of them is there when it has run."""
    return [f"build/matrix/{cell}", f"build/matrix/{cell}.failed"]


def variables(project: Project) -> dict[str, str]:
    """Return what every job has in its environment: each runner uses its own engine, whatever `engines` says."""
    return {"TVM_MATRIX_ENGINE": "docker"} if project.matrix.engines else {}


def merge_commands() -> list[list[str]]:
    """Return what joins the results below PARTS, and fails where a cell is missing or an arch fell short of its depth."""
    matrix = [".venv/bin/python", "-m", "tvm.matrix"]
    return [[*matrix, "merge", PARTS], [*matrix, "coverage"]]


def json_text(project: Project) -> str:
    """Return the cells as JSON for any other CI: what each job runs, what it hands over, and how the results are joined."""
    return (
        json.dumps({"schema": 1, "jobs": [_job(project, name) for name in cells(project)], **_join()}, indent=2) + "\n"
    )


def _job(project: Project, name: str) -> dict[str, Any]:
    (cell,) = plan(project, [name]).cells
    return {
        "cell": name,
        "image": cell.image,
        "archs": {arch: depth.name for arch, depth in cell.archs.items()},
        "checks": [check.name for check in cell.checks],
        "tags": list(cell.tags),
        "minutes": minutes(project, [name]),
        "command": ["nox", "-s", "engine", name],
        "environment": variables(project),
        "results": results(name),
    }


def _join() -> dict[str, Any]:
    return {"merge": {"parts": PARTS, "commands": merge_commands(), "results": ["build/matrix"]}}
