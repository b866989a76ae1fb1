from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.matrix.results_data import OTHER_TREE, TREE, a_run, an_artefact, an_outcome, keep
from tests.unit.matrix.world import make_project
from tvm.error import StorageError
from tvm.matrix import coverage, report, step_summary
from tvm.matrix.model import Project
from tvm.matrix.outcome import CheckOutcome, Status
from tvm.matrix.results import Results


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return make_project(tmp_path)


@pytest.fixture
def results(project: Project) -> Results:
    return Results(folder=project.build)


def markdown(project: Project) -> str:
    return step_summary.markdown(
        coverage.rows(project, TREE.sha256), report.entries(Results(folder=project.build), TREE.sha256)
    )


def test_the_coverage_stands_first_with_its_gaps(project: Project, results: Results) -> None:
    keep(results, an_outcome(artefacts=[an_artefact()]))
    lines = markdown(project).splitlines()
    assert lines[0] == "## 1 of 3 archs reach their declared depth"
    assert lines[4:7] == [
        "| ❌ | first | aarch64 | linked | nothing | no artefact was published for it |",
        r"| ❌ | second | x86\_64 | compiled | nothing | the cell has not run |",
        r"| ✅ | first | x86\_64 | executed | executed | qemu |",
    ]


def test_cells_that_failed_stand_before_those_that_passed(project: Project, results: Results) -> None:
    keep(results, an_outcome("first"))
    keep(results, an_outcome("second", status=Status.FAILED, why="pytest ended with 1"))
    assert markdown(project).splitlines()[-2:] == [
        "| ❌ | second | failed | cc 1/2 | 0 | 2.3 | pytest ended with 1 |",
        "| ✅ | first | passed | cc 2/2 | 0 | 2.3 |  |",
    ]


def test_what_could_not_run_is_neither_passed_nor_failed(project: Project, results: Results) -> None:
    missing = CheckOutcome(name="nvcc", status=Status.UNAVAILABLE)
    keep(results, an_outcome("first"))
    keep(results, replace(an_outcome("second", status=Status.UNAVAILABLE, why="1 of 1"), checks=(missing,)))
    assert markdown(project).splitlines()[-2:] == [
        "| ⚠️ | second | unavailable | nvcc unavailable | 0 | 2.3 | 1 of 1 |",
        "| ✅ | first | passed | cc 2/2 | 0 | 2.3 |  |",
    ]


def test_a_result_of_another_tree_has_not_passed(project: Project, results: Results) -> None:
    keep(results, an_outcome(), a_run(tree=OTHER_TREE))
    assert markdown(project).splitlines()[-1].startswith(r"| ❌ | first | from cccccccccccc\+ |")


def test_no_text_becomes_markup(project: Project, results: Results) -> None:
    why = "a | b\n<img src=x> [x](y) `c` https://me:pw@host/"
    keep(results, an_outcome(status=Status.FAILED, why=why))
    assert markdown(project).splitlines()[-1].endswith(r"a \| b \<img src=x\> \[x\]\(y\) \`c\` https://host/ |")


def test_it_is_appended_to_the_file_that_github_names(project: Project, tmp_path: Path) -> None:
    file = tmp_path / "summary.md"
    file.write_text("before\n", encoding="utf-8")
    step_summary.append(coverage.rows(project, TREE.sha256), [], {"GITHUB_STEP_SUMMARY": str(file)})
    assert file.read_text(encoding="utf-8").startswith("before\n## 0 of 3 archs")


@pytest.mark.parametrize("environment", [{}, {"GITHUB_STEP_SUMMARY": ""}])
def test_elsewhere_nothing_is_written(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    step_summary.append(coverage.rows(project, TREE.sha256), [], environment)
    assert list((tmp_path / "empty").iterdir()) == []


def test_a_file_that_cannot_be_written_is_a_storage_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError):
        step_summary.append([], [], {"GITHUB_STEP_SUMMARY": str(tmp_path / "no" / "folder.md")})
