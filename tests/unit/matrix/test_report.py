import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.unit.matrix.results_data import OTHER_TREE, TREE, a_run, an_artefact, an_outcome, keep
from tvm.matrix import report
from tvm.matrix.outcome import Status
from tvm.matrix.results import Results

JUNIT = '<testsuites><testsuite name="pytest" tests="1" failures="0" errors="0" skipped="0"><testcase name="t"/></testsuite></testsuites>'


@pytest.fixture
def results(tmp_path: Path) -> Results:
    return Results(folder=tmp_path / "matrix")


def log(folder: Path, check: str, text: str) -> None:
    (folder / "logs").mkdir(exist_ok=True)
    (folder / "logs" / f"check_{check}.xml").write_text(text, encoding="utf-8")


def summary(results: Results) -> dict[str, object]:
    report.write(results, TREE.sha256)
    found: dict[str, object] = json.loads((results.folder / "report.json").read_text(encoding="utf-8"))
    return found


def test_without_results_the_report_is_empty(results: Results) -> None:
    assert summary(results) == {"schema": 1, "tree_sha256": TREE.sha256, "cells": []}


def test_cells_stand_in_the_order_of_their_names(results: Results) -> None:
    for cell in ("ndk", "host"):
        keep(results, an_outcome(cell))
    assert [entry.cell for entry in report.entries(results, TREE.sha256)] == ["host", "ndk"]


def test_a_cell_has_status_counts_image_and_artefacts(results: Results) -> None:
    keep(results, an_outcome(artefacts=[an_artefact()]))
    (cell,) = json.loads(json.dumps(summary(results)["cells"]))
    assert (cell["cell"], cell["status"], cell["current"], cell["folder"]) == ("first", "passed", True, "first")
    assert (cell["checks"][0]["tests"], cell["artefacts"][0]["name"]) == (2, "lib.so")
    assert cell["image"]["tag"] == "0123456789abcdef"


def test_the_newest_result_of_a_cell_counts(results: Results) -> None:
    keep(results, an_outcome(), a_run(finished="2026-01-01T00:00:01Z"))
    keep(results, an_outcome(status=Status.FAILED, why="broke"), a_run(finished="2026-01-01T00:00:02Z"))
    (entry,) = report.entries(results, TREE.sha256)
    assert (entry.status, entry.folder.name) == ("failed", "first.failed")


def test_an_older_failure_does_not_hide_a_newer_success(results: Results) -> None:
    keep(results, an_outcome(status=Status.FAILED), a_run(finished="2026-01-01T00:00:01Z"))
    keep(results, an_outcome(), a_run(finished="2026-01-01T00:00:02Z"))
    (entry,) = report.entries(results, TREE.sha256)
    assert entry.status == "passed"


def test_a_result_of_another_tree_is_never_green(results: Results) -> None:
    keep(results, an_outcome(), a_run(tree=OTHER_TREE))
    (entry,) = report.entries(results, TREE.sha256)
    assert (entry.current, entry.status, entry.revision) == (False, "from cccccccccccc+", "cccccccccccc+")


def test_a_committed_tree_is_named_by_its_revision(results: Results) -> None:
    keep(results, an_outcome())
    (entry,) = report.entries(results, TREE.sha256)
    assert entry.revision == "bbbbbbbbbbbb"


def test_junit_holds_every_check_under_its_cell(results: Results) -> None:
    for cell in ("host", "ndk"):
        keep(results, an_outcome(cell))
        log(results.good(cell), "cc", JUNIT)
    report.write(results, TREE.sha256)
    suites = ET.parse(results.folder / "junit.xml").getroot().iter("testsuite")  # noqa: S314 - written by us
    assert [suite.get("name") for suite in suites] == ["host.check_cc", "ndk.check_cc"]


@pytest.mark.parametrize("text", ["<testsuites><testsuite", "", "<html/>"])
def test_a_junit_file_that_was_cut_off_does_not_stop_the_report(results: Results, text: str) -> None:
    keep(results, an_outcome())
    log(results.good("first"), "cc", text)
    assert len(report.write(results, TREE.sha256)) == 1
    assert ET.parse(results.folder / "junit.xml").getroot().tag == "testsuites"  # noqa: S314 - written by us


def test_the_same_results_give_the_same_bytes(results: Results) -> None:
    keep(results, an_outcome(artefacts=[an_artefact()]))
    log(results.good("first"), "cc", JUNIT)
    texts = set()
    for _ in range(2):
        report.write(results, TREE.sha256)
        texts.add(tuple((results.folder / name).read_bytes() for name in ("report.json", "junit.xml")))
    assert len(texts) == 1


def test_a_cell_without_a_repro_has_no_proof(results: Results) -> None:
    keep(results, an_outcome())
    (entry,) = report.entries(results, TREE.sha256)
    assert report.repro_proof(results, entry) == {}
