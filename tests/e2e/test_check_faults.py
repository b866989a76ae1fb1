"""Checks that misbehave in their box: the cell ends in time and says why; nothing of them stays, and nothing of the box."""

import shutil

import pytest

from tests.e2e.engine import Containers
from tests.e2e.project import HERE, Project, whole
from tvm.support import process

# Seconds for the check, and for the whole run whatever the check does.
LIMIT, PATIENCE = 3, 60.0
# Bytes that a log may have: 100 MB are printed.
LOG = 17_000_000
FAILURES = {
    "prints_and_fails": "pytest ended with 1",
    "hangs": f"ended after its limit of {LIMIT} s",
    "kills_its_parent": "ended by SIGKILL: something in the box sent it, or the system did for want of memory",
    "kills_everything": "ended by SIGKILL",
    "litters": "what the checks left in /out is refused: archive member 'out/artefacts/passwd' is refused",
}


@pytest.mark.parametrize("check", ["prints", "forks", "writes_outside", "opens_sockets"])
def test_what_a_check_may_do_fails_nothing_and_stays_in_its_box(
    check: str, project: Project, containers: Containers
) -> None:
    before = project.kept()
    done = _run(project, check)
    assert done.code == 0, done.output
    assert done.seconds < PATIENCE
    after = project.kept()
    assert whole(after["two"])
    assert after["two"]["manifest.json"] != before["two"]["manifest.json"]
    assert (after["one"], after["three"]) == (before["one"], before["three"])
    _nothing_stays(project, containers)


@pytest.mark.parametrize("check", FAILURES)
def test_what_a_check_may_not_do_fails_its_cell_and_says_why(
    check: str, project: Project, containers: Containers
) -> None:
    before = project.kept()
    done = _run(project, check)
    assert done.code == 1, done.output
    assert done.seconds < PATIENCE
    assert FAILURES[check] in done.output
    assert "\nfix: " in done.output
    assert "Traceback" not in done.output
    assert project.kept() == before
    assert (project.results / "two.failed" / "manifest.json").is_file()
    assert (project.results / "two.failed" / "logs" / "check_words.log").is_file()
    _nothing_stays(project, containers)


def _run(project: Project, check: str) -> process.Completed:
    shutil.copyfile(HERE / "bad_checks" / f"{check}.py", project.root / "tests" / "matrix" / "check_words.py")
    if check == "hangs":
        words = "checks: {words: [python]}\n"
        project.edit("matrix.yaml", f"    {words}", f"    {words}    timeout: {LIMIT}\n")
    return project.matrix("run", "two")


def _nothing_stays(project: Project, containers: Containers) -> None:
    assert [path for path in project.results.rglob("*") if path.stat().st_size > LOG] == []
    assert containers.wire.containers
    assert containers.left() == []
    assert project.half_made() == []
