from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.matrix.page.cells import a_cell, with_check
from tests.unit.matrix.page.reader import Node, read, rows
from tests.unit.matrix.results_data import a_run, an_outcome
from tests.unit.matrix.world import make_project
from tvm.matrix.manifest import Run
from tvm.matrix.outcome import Status
from tvm.matrix.page import cell as page_cell
from tvm.matrix.page.view import Cell

FAILED = replace(an_outcome(status=Status.FAILED, why="pytest ended with 1"), fix="read the log")


def section(cell: Cell) -> Node:
    return read(page_cell.section(make_project(Path("nowhere")), cell))


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_only_a_failure_is_unfolded() -> None:
    found = [
        section(cell).one("details", id="cell-first")
        for cell in (a_cell(), a_cell(FAILED), a_cell(FAILED, current=False))
    ]
    assert ["open" in node.attributes for node in found] == [False, True, False]


def test_a_failure_says_why_and_what_to_do() -> None:
    assert section(a_cell(FAILED)).one("div", class_="why").text == "Why: pytest ended with 1Fix: read the log"


def test_it_says_when_and_of_what_it_was_made() -> None:
    text = section(a_cell()).all("p")[0].text
    assert (
        text
        == "2026-01-01 00:00 UTC · tree bbbbbbbbbbbb · image first:0123456789abcdef · tools: stand-in · base: bootstrapped"
    )


def test_a_local_result_says_that_the_network_was_open() -> None:
    local = Run(**{**a_run().__dict__, "builder": "local"})
    assert section(a_cell(run=local)).all("p")[0].text.endswith("local, network not isolated")


def test_an_emulated_result_says_so() -> None:
    run = a_run()
    slow = replace(run, image=replace(run.image, emulation="for arm64 on amd64"))
    assert section(a_cell(run=slow)).all("p")[0].text.endswith(" · base: bootstrapped · emulated: slow")


def test_the_next_commands_can_be_copied() -> None:
    commands = section(a_cell()).one("dl").all("dd")
    assert [node.one("code").text for node in commands] == [
        "nox -s first",
        "nox -s repro -- first",
        "nox -s first -- build SRC... -o OUT",
        "python -m tvm.matrix explain first",
    ]
    assert len({node.one("button").attributes["aria-label"] for node in commands}) == 4


def test_a_check_that_could_not_run_says_so_and_what_to_install() -> None:
    passed = an_outcome().checks[0]
    missing = replace(passed, name="nvcc", status=Status.UNAVAILABLE, tests=0, why="no nvcc", fix="install nvcc 12.4")
    found = section(a_cell(replace(an_outcome(), checks=(passed, missing))))
    assert "open" not in found.one("details", id="cell-first").attributes
    checks = found.one("table", class_="checks")
    assert [row[:3] for row in rows(checks) if len(row) == 4][1:] == [
        ["nvcc", "unavailable", "not started"],
        ["cc", "passed", "2 of 2"],
    ]
    assert "no nvcc · install nvcc 12.4" in checks.text


def test_checks_that_failed_stand_first() -> None:
    passed, failed = an_outcome().checks[0], replace(FAILED.checks[0], name="tar")
    found = section(a_cell(replace(FAILED, checks=(passed, failed)))).one("table", class_="checks")
    assert [row[:3] for row in rows(found) if len(row) == 4][1:] == [
        ["tar", "failed", "1 of 2"],
        ["cc", "passed", "2 of 2"],
    ]


def test_a_failed_check_says_why() -> None:
    outcome = with_check(
        FAILED, "cc", command=["python", "-m", "pytest", "a b"], why="ended after its limit", fix="raise timeout"
    )
    text = section(a_cell(outcome)).one("table", class_="checks").text
    assert ("ended after its limit · raise timeout" in text, "python -m pytest 'a b'" in text) == (True, True)


def test_the_environment_of_the_box_is_listed() -> None:
    assert ["TZ", "UTC"] in [row for table in section(a_cell()).all("table") for row in rows(table)]


def test_the_manifest_is_linked() -> None:
    assert "first/manifest.json" in [link.attributes["href"] for link in section(a_cell()).all("a")]
