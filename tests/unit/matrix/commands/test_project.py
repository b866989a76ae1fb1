from pathlib import Path

import pytest

from tests.unit.matrix.commands.playing import Play, make_play
from tvm.error import ImageError
from tvm.matrix import cli, lock
from tvm.matrix.lock import Outcome, Progress
from tvm.matrix.lock.change import Change, Kept
from tvm.matrix.model import Project


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    return make_play(tmp_path, monkeypatch)


def _locks(monkeypatch: pytest.MonkeyPatch, outcome: Outcome) -> list[list[str]]:
    asked: list[list[str]] = []

    def locked(_project: Project, names: list[str], progress: Progress) -> Outcome:
        asked.append(names)
        progress("images/host/requirements.txt")
        return outcome

    monkeypatch.setattr(lock, "lock", locked)
    return asked


def test_lock_prints_old_and_new_and_what_is_kept(
    play: Play, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = Outcome(
        changes=[Change(place="images/host/requirements.txt", name="numpy", old="2.4", new="2.5")],
        kept=[Kept(place="suites.trixie.digest", why="nobody answers")],
    )
    asked = _locks(monkeypatch, outcome)
    assert play.main("lock", "host") == 0
    out = capsys.readouterr().out
    assert asked == [["host"]]
    row = next(line for line in out.splitlines() if "numpy" in line)
    assert [cell.strip() for cell in row.strip("│ ").split("│")] == [
        "images/host/requirements.txt",
        "numpy",
        "2.4",
        "2.5",
    ]
    assert out.endswith("kept suites.trixie.digest: nobody answers\n")


def test_lock_without_a_change_says_so(
    play: Play, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = _locks(monkeypatch, Outcome())
    assert play.main("lock") == 0
    assert (asked, capsys.readouterr().out) == ([[]], "lock images/host/requirements.txt\nnothing changed\n")


def test_lock_ends_with_the_first_error_after_the_table(
    play: Play, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _locks(monkeypatch, Outcome(errors=[ImageError("uv found nothing"), ImageError("another")]))
    assert play.main("lock") == 5
    out, err = capsys.readouterr()
    assert "nothing changed" in out
    assert "error: uv found nothing" in err


def test_new_prints_what_it_wrote_and_what_comes_next(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    base = play.matrix.parent / "images" / "base" / "requirements.txt"
    base.write_text("wheel==1\n")
    assert play.main("new", "chip") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "images/chip/Dockerfile"
    assert lines[-1].startswith("next: nox -s chip runs it")
    assert play.main("list") == 0
    assert "chip" in capsys.readouterr().out


def test_new_with_a_wrong_name_ends_with_three(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    assert play.main("new", "Chip") == 3
    assert "'Chip' is no name of a cell" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["new", "chip"], ["lock"]])
def test_a_matrix_by_another_name_is_not_changed(
    play: Play, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    other = play.matrix.with_name("other.yaml")
    play.matrix.rename(other)
    assert cli.main(["--matrix", str(other), *command]) == 3
    assert "is not called matrix.yaml" in capsys.readouterr().err
