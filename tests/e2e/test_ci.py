"""The generated workflow, played on this machine: a checkout for each runner, and the commands of the job that joins them."""

import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e.project import Project
from tvm.error import ExitCode
from tvm.matrix import ci
from tvm.support.process import Completed

CELLS = ("one", "two")


@pytest.fixture
def jobs(project: Project) -> dict[str, Any]:
    """Return the jobs of the workflow of the small project, which has no results yet."""
    text = (project.root / "matrix.yaml").read_text(encoding="utf-8")
    for cell in CELLS:
        text = text.replace(f"  {cell}:\n", f"  {cell}:\n    ci: true\n")
    (project.root / "matrix.yaml").write_text(text, encoding="utf-8")
    shutil.rmtree(project.root / "build")
    made: dict[str, Any] = yaml.safe_load(project.matrix("ci", "--format", "github").output)["jobs"]
    return made


def runner_of(project: Project, cell: str) -> Project:
    """Run a cell in a checkout of its own, and hand over what its job uploads."""
    root = project.root.with_name(f"runner-{cell}")
    shutil.copytree(project.root, root, symlinks=True, ignore=shutil.ignore_patterns("build"))
    runner = Project(root=root, environment=project.environment)
    runner.matrix("run", cell)
    for folder in ci.results(cell):
        if (root / folder).is_dir():
            shutil.copytree(root / folder, project.root / ci.PARTS / f"cell-{cell}" / Path(folder).name)
    return runner


def join(project: Project, jobs: dict[str, Any], summary: Path) -> list[Completed]:
    """Run what the joining job runs once it has the project's environment and the artefacts."""
    commands = [step["run"] for step in jobs["report"]["steps"] if "run" in step][1:]
    told = {"GITHUB_STEP_SUMMARY": str(summary)}
    return [project.run([sys.executable, *shlex.split(command)[1:]], **told) for command in commands]


def test_the_results_of_all_runners_become_one_report(project: Project, jobs: dict[str, Any], tmp_path: Path) -> None:
    for cell in CELLS:
        runner_of(project, cell)
    merge, coverage = join(project, jobs, tmp_path / "summary.md")
    assert merge.code == 0, merge.output
    assert coverage.code == 0, coverage.output
    assert set(project.kept()) == set(CELLS)
    assert all(
        (project.results / name).is_file() for name in ("index.html", "report.json", "coverage.json", "junit.xml")
    )
    assert (tmp_path / "summary.md").read_text(encoding="utf-8").startswith("## 2 of 3 archs reach")


def test_a_runner_that_never_answered_fails_the_report(project: Project, jobs: dict[str, Any], tmp_path: Path) -> None:
    runner_of(project, "one")
    merge, coverage = join(project, jobs, tmp_path / "summary.md")
    assert merge.code == 0, merge.output
    assert coverage.code == ExitCode.COVERAGE
    assert "two x86_64: declared executed, the cell has not run" in coverage.output


def test_a_cell_that_failed_is_in_the_report_and_fails_it(
    project: Project, jobs: dict[str, Any], tmp_path: Path
) -> None:
    project.edit("tests/matrix/check_words.py", "    program = tmp_path", "    assert False\n    program = tmp_path")
    for cell in CELLS:
        runner_of(project, cell)
    merge, coverage = join(project, jobs, tmp_path / "summary.md")
    assert merge.code == 0, merge.output
    assert coverage.code == ExitCode.COVERAGE
    assert "two x86_64: declared executed, the cell failed" in coverage.output
    assert (project.results / "two.failed" / "manifest.json").is_file()


def test_without_any_result_there_is_no_report(project: Project, jobs: dict[str, Any], tmp_path: Path) -> None:
    (project.root / ci.PARTS).mkdir(parents=True)
    merge, _ = join(project, jobs, tmp_path / "summary.md")
    assert merge.code == ExitCode.CONFIG
    assert "no result of a cell lies below build/parts" in merge.output
