import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from tests.unit.matrix.results_data import OTHER_TREE, TREE, a_local_run, a_run, an_artefact, an_outcome, keep
from tests.unit.matrix.world import make_project
from tvm.matrix import manifest, report
from tvm.matrix.model import Project
from tvm.matrix.outcome import CheckOutcome, Status
from tvm.matrix.results import Results

NAMES = ("index.html", "report.json", "coverage.json", "junit.xml")
JUNIT = '<testsuites><testsuite name="pytest" tests="1" failures="0" errors="0" skipped="0"><testcase name="t"/></testsuite></testsuites>'


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return make_project(tmp_path)


@pytest.fixture
def results(project: Project) -> Results:
    return Results(folder=project.build)


def log(folder: Path, check: str, text: str) -> None:
    (folder / "logs").mkdir(exist_ok=True)
    (folder / "logs" / f"check_{check}.xml").write_text(text, encoding="utf-8")


def written(project: Project, name: str = "report.json") -> dict[str, Any]:
    report.write(project, TREE.sha256)
    found: dict[str, Any] = json.loads((project.build / name).read_text(encoding="utf-8"))
    return found


def test_without_results_the_report_is_empty(project: Project) -> None:
    assert written(project) == {"schema": 1, "tree_sha256": TREE.sha256, "cells": []}


def test_cells_stand_in_the_order_of_their_names(results: Results) -> None:
    for cell in ("ndk", "host"):
        keep(results, an_outcome(cell))
    assert [entry.cell for entry in report.entries(results, TREE.sha256)] == ["host", "ndk"]


def test_a_cell_has_status_counts_image_and_artefacts(project: Project, results: Results) -> None:
    keep(results, an_outcome(artefacts=[an_artefact()]))
    (cell,) = written(project)["cells"]
    assert (cell["cell"], cell["status"], cell["current"], cell["folder"]) == ("first", "passed", True, "first")
    assert (cell["checks"][0]["tests"], cell["artefacts"][0]["name"]) == (2, "lib.so")
    assert cell["image"]["tag"] == "0123456789abcdef"


@pytest.mark.parametrize("finished", ["2026-01-01T00:00:01Z", "2026-01-01T00:00:03Z"], ids=["backward", "forward"])
def test_a_failure_hides_the_success_before_it_whatever_the_clock_said(results: Results, finished: str) -> None:
    keep(results, an_outcome(), a_run(finished="2026-01-01T00:00:02Z"))
    keep(results, an_outcome(status=Status.FAILED, why="broke"), a_run(finished=finished))
    (entry,) = report.entries(results, TREE.sha256)
    assert (entry.status, entry.folder.name) == ("failed", "first.failed")


@pytest.mark.parametrize("failed", [True, False])
def test_a_result_of_this_tree_hides_a_later_one_of_another(results: Results, failed: bool) -> None:  # noqa: FBT001 - a table
    here, elsewhere = a_run(finished="2026-01-01T00:00:01Z"), a_run(tree=OTHER_TREE, finished="2026-01-01T00:00:02Z")
    keep(results, an_outcome(), elsewhere if failed else here)
    keep(results, an_outcome(status=Status.FAILED), here if failed else elsewhere)
    (entry,) = report.entries(results, TREE.sha256)
    assert entry.status == ("failed" if failed else "passed")


def test_a_result_of_another_tree_is_never_green(results: Results) -> None:
    keep(results, an_outcome(), a_run(tree=OTHER_TREE))
    (entry,) = report.entries(results, TREE.sha256)
    assert (entry.current, entry.status, entry.revision) == (False, "from cccccccccccc+", "cccccccccccc+")


def test_a_committed_tree_is_named_by_its_revision(results: Results) -> None:
    keep(results, an_outcome())
    (entry,) = report.entries(results, TREE.sha256)
    assert entry.revision == "bbbbbbbbbbbb"


def test_junit_holds_every_check_under_its_cell(project: Project, results: Results) -> None:
    for cell in ("host", "ndk"):
        keep(results, an_outcome(cell))
        log(results.good(cell), "cc", JUNIT)
    report.write(project, TREE.sha256)
    suites = ET.parse(results.folder / "junit.xml").getroot().iter("testsuite")  # noqa: S314 - written by us
    assert [suite.get("name") for suite in suites] == ["host.check_cc", "ndk.check_cc"]


@pytest.mark.parametrize("text", ["<testsuites><testsuite", "", "<html/>"])
def test_a_junit_file_that_was_cut_off_does_not_stop_the_report(project: Project, results: Results, text: str) -> None:
    keep(results, an_outcome())
    log(results.good("first"), "cc", text)
    assert len(report.write(project, TREE.sha256)) == 1
    assert ET.parse(results.folder / "junit.xml").getroot().tag == "testsuites"  # noqa: S314 - written by us


def test_the_same_results_give_the_same_bytes(project: Project, results: Results) -> None:
    keep(results, an_outcome(artefacts=[an_artefact()]))
    log(results.good("first"), "cc", JUNIT)
    texts = set()
    for _ in range(2):
        report.write(project, TREE.sha256)
        texts.add(tuple((results.folder / name).read_bytes() for name in NAMES))
    assert len(texts) == 1


def test_a_cell_without_a_repro_has_no_proof(results: Results) -> None:
    keep(results, an_outcome())
    (entry,) = report.entries(results, TREE.sha256)
    assert report.repro_proof(results, entry) == {}


def test_coverage_has_a_row_per_declared_arch_and_counts(project: Project, results: Results) -> None:
    keep(results, an_outcome(artefacts=[an_artefact()]))
    data = written(project, "coverage.json")
    assert (data["schema"], data["tree_sha256"], data["reached"], data["declared"]) == (1, TREE.sha256, 1, 3)
    assert data["archs"][0] == {
        "cell": "first",
        "arch": "x86_64",
        "declared": "executed",
        "reached": "executed",
        "met": True,
        "by": "qemu",
        "why": "",
    }


def test_the_page_holds_every_cell_of_the_matrix(project: Project, results: Results) -> None:
    keep(results, an_outcome())
    report.write(project, TREE.sha256)
    text = (results.folder / "index.html").read_text(encoding="utf-8")
    assert ('id="cell-first"' in text, "1 not run" in text) == (True, True)


def shown_before(results: Results, folder: Path) -> str:
    """Return when the run ended with which the page compares the one result that there is."""
    (entry,) = report.entries(results, TREE.sha256)
    assert entry.folder == folder
    at, before = report.previous(results, entry)
    assert before == (manifest.read(results.folder / at) if at else None)
    return str(before["predicate"]["runDetails"]["metadata"]["finishedOn"]) if before else ""


def run(results: Results, second: int, status: Status = Status.PASSED, *, local: bool = False) -> Path:
    """Let a cell end as a run does, and return the folder of its result."""
    made = replace(a_local_run() if local else a_run(), finished=f"2026-01-01T00:00:0{second}Z")
    name = "first@local" if local else "first"
    staged = results.staging(name, "1-2.a")
    text = manifest.to_json(manifest.statement(an_outcome(status=status), made))
    (staged / "manifest.json").write_text(text, encoding="utf-8")
    target = results.good(name) if status is Status.PASSED else results.failed(name)
    results.swap(staged, target)
    return target


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize(
    ("ends", "compared"),
    [
        ([Status.PASSED, Status.PASSED], 1),
        ([Status.PASSED, Status.FAILED], 1),
        ([Status.PASSED, Status.FAILED, Status.FAILED], 1),
        ([Status.FAILED, Status.FAILED], 1),
        ([Status.FAILED, Status.PASSED], 1),
        ([Status.UNAVAILABLE, Status.PASSED], 1),
        ([Status.PASSED, Status.FAILED, Status.PASSED], 1),
        ([Status.FAILED, Status.PASSED, Status.PASSED], 2),
    ],
)
def test_what_changed_is_told_against_the_good_run_before_else_the_run_before(
    results: Results,
    ends: list[Status],
    compared: int,
    local: bool,  # noqa: FBT001 - a parameter of the table
) -> None:
    folders = [run(results, second, status, local=local) for second, status in enumerate(ends, 1)]
    assert shown_before(results, folders[-1]) == f"2026-01-01T00:00:0{compared}Z"


def test_a_check_that_could_not_run_is_skipped_in_junit_and_no_failure(project: Project, results: Results) -> None:
    outcome = an_outcome()
    missing = CheckOutcome(name="nvcc", status=Status.UNAVAILABLE, why="nvcc is not there")
    keep(results, replace(outcome, checks=(*outcome.checks, missing)), a_local_run())
    report.write(project, TREE.sha256)
    (suite,) = ET.parse(results.folder / "junit.xml").getroot().iter("testsuite")  # noqa: S314 - written by us
    assert (suite.get("name"), suite.get("failures"), suite.get("skipped")) == ("first@local.check_nvcc", "0", "1")
    (skipped,) = suite.iter("skipped")
    assert skipped.get("message") == "unavailable: nvcc is not there"


def test_seconds_of_the_last_good_runs_are_those_of_an_image_if_there_is_one(
    project: Project, results: Results
) -> None:
    keep(results, replace(an_outcome(), seconds=7.0), a_local_run())
    keep(results, replace(an_outcome(), seconds=3.0))
    keep(results, replace(an_outcome("second"), seconds=5.0), a_local_run())
    keep(results, an_outcome("third", status=Status.FAILED))
    assert report.last_seconds(project, ["first", "second", "third"]) == {"first": 3.0, "second": 5.0}


def test_a_good_result_is_compared_with_the_one_that_its_swap_kept(results: Results) -> None:
    keep(results, an_outcome(), a_run(finished="2026-01-01T00:00:01Z"))
    (results.good("first") / "manifest.json").rename(results.good("first") / "previous.json")
    keep(results, an_outcome(), a_run(finished="2026-01-01T00:00:02Z"))
    assert shown_before(results, results.good("first")) == "2026-01-01T00:00:01Z"


def test_a_failure_is_compared_with_the_last_good_result(results: Results) -> None:
    keep(results, an_outcome(), a_run(finished="2026-01-01T00:00:01Z"))
    keep(results, an_outcome(status=Status.FAILED), a_run(finished="2026-01-01T00:00:02Z"))
    assert shown_before(results, results.failed("first")) == "2026-01-01T00:00:01Z"


def test_a_first_result_is_compared_with_nothing(results: Results) -> None:
    keep(results, an_outcome())
    assert shown_before(results, results.good("first")) == ""


def test_a_result_before_of_another_version_is_none(results: Results) -> None:
    keep(results, an_outcome())
    (results.good("first") / "previous.json").write_text('{"schema": 0}', encoding="utf-8")
    assert shown_before(results, results.good("first")) == ""


def test_what_this_machine_gave_stands_beside_what_an_image_gave(project: Project, results: Results) -> None:
    keep(results, an_outcome())
    keep(results, an_outcome(), a_local_run())
    assert [entry.place for entry in report.entries(results, TREE.sha256)] == ["first", "first@local"]
    report.write(project, TREE.sha256)
    assert [cell["folder"] for cell in written(project)["cells"]] == ["first", "first@local"]
