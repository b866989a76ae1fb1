import io
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.table import Table

from tests.unit.matrix.results_data import OTHER_TREE, TREE, a_local_run, a_run, an_artefact, an_outcome, keep
from tvm.matrix import manifest, report, table
from tvm.matrix.coverage import Row
from tvm.matrix.model import Depth
from tvm.matrix.outcome import CheckOutcome, Status
from tvm.matrix.results import Results

GOOD = CheckOutcome(name="cc", status=Status.PASSED, tests=2, seconds=1.25)
BAD = CheckOutcome(name="cc", status=Status.FAILED, tests=2, failures=1, seconds=1.25, why="pytest ended with 1")


def new_console(*, terminal: bool = False, width: int = 200) -> Console:
    return Console(file=io.StringIO(), force_terminal=terminal, width=width, color_system=None, legacy_windows=False)


def printed(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def text_of(shown: Table) -> str:
    console = new_console()
    console.print(shown)
    return printed(console)


def test_plain_lines_name_their_cell() -> None:
    console = new_console()
    with table.listener(console, ["ndk"]) as listener:
        listener.started("ndk")
        listener.progress("ndk", "check cc")
        listener.checked("ndk", GOOD, "log")
        listener.ended(an_outcome("ndk", artefacts=[an_artefact()]), Path("build/ndk"))
    assert [line.split("s] ")[1] for line in printed(console).splitlines()] == [
        "started",
        "check cc",
        "check cc passed in 1.2 s",
        "passed, 1 artefacts in build/ndk",
    ]
    assert all(line.startswith("[ndk ") for line in printed(console).splitlines())


def test_a_line_of_no_cell_is_the_matrixs() -> None:
    console = new_console()
    with table.listener(console, []) as listener:
        listener.progress("", "removed a box")
    assert printed(console) == "[matrix   0.0 s] removed a box\n"


def test_a_failed_check_shows_the_end_of_its_output() -> None:
    console = new_console()
    with table.listener(console, ["ndk"]) as listener:
        listener.checked("ndk", BAD, "".join(f"line {number}\n" for number in range(1, 101)))
    lines = printed(console).splitlines()
    assert lines[0].endswith("check cc failed in 1.2 s: pytest ended with 1")
    assert (lines[1], lines[-1], len(lines)) == ("line 41", "line 100", 61)


@pytest.mark.parametrize("terminal", [False, True])
def test_output_is_shown_as_it_is_without_credentials(terminal: bool) -> None:  # noqa: FBT001 - both kinds of listener
    console = new_console(terminal=terminal)
    with table.listener(console, ["ndk"]) as listener:
        listener.started("ndk")
        listener.progress("", "pull https://me:pw@host/x [/] [bold]")
        listener.progress("ndk", "pull https://me:pw@host/y [/] [bold]\nmore")
        listener.checked("ndk", BAD, "[red]no markup[/] https://me:pw@host/z")
        listener.ended(an_outcome("ndk", status=Status.FAILED), Path("build/ndk.failed"))
    text = printed(console)
    assert "pw" not in text
    assert "pull https://host/x [/] [bold]" in text
    assert "[red]no markup[/] https://host/z" in text


def test_a_terminal_gets_a_live_table() -> None:
    with table.listener(new_console(terminal=True), ["ndk"]) as listener:
        assert isinstance(listener, table.LiveTable)
        assert "waiting" in text_of(listener.render())
        listener.started("ndk")
        listener.progress("ndk", "check cc")
        running = text_of(listener.render())
        listener.checked("ndk", GOOD, "")
        listener.checked("ndk", CheckOutcome(name="tar", status=Status.FAILED), "")
        listener.ended(an_outcome("ndk", artefacts=[an_artefact()]), Path("build/ndk"))
        ended = text_of(listener.render())
    assert all(word in running for word in ("ndk", "running", "check cc"))
    assert all(word in ended for word in ("passed", "cc 2/2, tar failed", "build/ndk"))


def test_the_live_table_tells_the_time_left_by_what_the_cells_took_before(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    states = ["host", "ndk"]
    with table.listener(new_console(terminal=True), states, {"host": 20.0, "ndk": 50.0}) as listener:
        assert isinstance(listener, table.LiveTable)
        assert "about 1 min 10 s left" in text_of(listener.render())
        listener.started("host")
        now += 15
        assert "about 55 s left" in text_of(listener.render())
        now += 15
        assert "about 50 s left" in text_of(listener.render()), "a cell that takes longer than before promises nothing"
        for cell in states:
            listener.started(cell)
            listener.ended(an_outcome(cell), Path("build"))
        assert "left" not in text_of(listener.render())


def test_where_a_cell_never_ran_the_live_table_does_not_guess() -> None:
    with table.listener(new_console(terminal=True), ["host", "ndk"], {"host": 20.0}) as listener:
        assert isinstance(listener, table.LiveTable)
        assert "left" not in text_of(listener.render())


def own(**changes: Any) -> dict[str, Any]:
    return manifest.own(manifest.statement(an_outcome(**changes), a_run()))


def test_results_show_counts_repro_and_routes(tmp_path: Path) -> None:
    results = Results(folder=tmp_path)
    keep(results, an_outcome(artefacts=[an_artefact()]))
    found = report.entries(results, TREE.sha256)
    text = text_of(table.results_table(found, [{"identical": True, "artefacts": {"a": "1"}}]))
    for word in ("first", "passed", "cc 2/2", "1 identical", "2.3", "first:0123456789abcdef (stand-in, bootstrapped)"):
        assert word in text


@pytest.mark.parametrize(("proof", "word"), [({"identical": False, "artefacts": {}}, "different"), ({}, "")])
def test_results_say_when_builds_differ(tmp_path: Path, proof: dict[str, Any], word: str) -> None:
    results = Results(folder=tmp_path)
    keep(results, an_outcome())
    text = text_of(table.results_table(report.entries(results, TREE.sha256), [proof]))
    assert word in text
    assert "identical" not in text


def test_a_result_of_another_tree_is_not_called_passed(tmp_path: Path) -> None:
    results = Results(folder=tmp_path)
    keep(results, an_outcome(), a_run(tree=OTHER_TREE))
    text = text_of(table.results_table(report.entries(results, TREE.sha256), [{}]))
    assert "from cccccccccccc+" in text
    assert "passed" not in text


def test_artefacts_show_depth_and_by_what() -> None:
    text = text_of(table.artefact_table(own(artefacts=[an_artefact("a.so", by="[/] qemu", arch="[x]")])))
    for word in ("a.so", "[x]", "executed ([/] qemu)", "4444444444444444"):
        assert word in text


def test_coverage_shows_the_why_of_each_gap() -> None:
    rows = [
        Row(cell="a", arch="x", declared=Depth.linked, reached=Depth.executed, by="qemu", why=""),
        Row(cell="b", arch="y", declared=Depth.linked, reached=None, by="[/]", why="no [artefact]"),
    ]
    text = text_of(table.coverage_table(rows))
    assert text.startswith("1 of 2 archs reach their declared depth")
    assert all(word in text for word in ("executed", "qemu", "nothing", "[/]", "no [artefact]"))


def test_routes_leave_out_the_vendor_where_there_is_none() -> None:
    image = {"name": "host", "tag": "1", "vendor_route": "none", "base_route": "pulled"}
    assert table.routes(image) == "host:1 (pulled)"


def test_without_an_engine_the_table_says_so_and_what_could_not_run(tmp_path: Path) -> None:
    results = Results(folder=tmp_path)
    gone = CheckOutcome(name="nvcc", status=Status.UNAVAILABLE, why="nvcc is not there")
    outcome = an_outcome()
    keep(results, replace(outcome, checks=(*outcome.checks, gone)), a_local_run())
    text = text_of(table.results_table(report.entries(results, TREE.sha256), [{}]))
    assert "first@local" in text
    assert "cc 2/2, nvcc unavailable" in text
    assert "local, network not isolated" in text


def test_a_check_that_could_not_run_is_one_line() -> None:
    console = new_console()
    gone = CheckOutcome(name="nvcc", status=Status.UNAVAILABLE, why="nvcc is not there")
    with table.listener(console, ["ndk"]) as listener:
        listener.checked("ndk", gone, "nvcc is not there")
    assert printed(console).endswith("check nvcc unavailable in 0.0 s: nvcc is not there\n")
    assert len(printed(console).splitlines()) == 1


def test_an_emulated_image_is_marked_slow_and_an_older_manifest_says_nothing() -> None:
    image = {"name": "ndk", "tag": "0a", "vendor_route": "none", "base_route": "pulled"}
    assert table.routes(image) == "ndk:0a (pulled)"
    assert table.routes({**image, "emulation": ""}) == "ndk:0a (pulled)"
    assert table.routes({**image, "emulation": "for arm64"}) == "ndk:0a (pulled, emulated: slow)"
