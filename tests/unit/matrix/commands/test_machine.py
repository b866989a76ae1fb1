from pathlib import Path

import pytest
from rich.console import Console

from tests.unit.matrix.commands.playing import Play, make_play
from tvm.error import EngineError, ExitCode
from tvm.matrix import cli, doctor, prune
from tvm.matrix.engine import Engine, private
from tvm.matrix.engine.private import Report
from tvm.matrix.model import Project


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    return make_play(tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("arguments", "function"),
    [([], "ensure"), (["start"], "ensure"), (["status"], "status"), (["stop"], "stop")],
)
def test_engine_does_what_it_is_told_and_needs_no_matrix(
    arguments: list[str],
    function: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    def tell(name: str) -> None:
        monkeypatch.setattr(private, name, lambda report: report(f"called {name}"))

    for name in ("ensure", "status", "stop"):
        tell(name)
    monkeypatch.chdir(tmp_path)
    assert cli.main(["engine", *arguments]) == 0
    assert capsys.readouterr().out == f"called {function}\n"


def test_engine_that_cannot_be_had_ends_with_four(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuses(_report: Report) -> None:
        msg = "no engine"
        raise EngineError(msg, fix="install one")

    monkeypatch.setattr(private, "ensure", refuses)
    assert cli.main(["engine"]) == 4
    assert capsys.readouterr().err == "tvm-matrix: error: no engine\nfix: install one\n"


def test_doctor_ends_with_what_it_finds(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    def show(project: Project, engine: str | None, _console: Console) -> ExitCode:
        assert (project.root, engine) == (play.matrix.parent, "docker")
        return ExitCode.UNAVAILABLE

    monkeypatch.setattr(doctor, "show", show)
    assert play.main("doctor", "--engine", "docker") == 11


@pytest.mark.parametrize(("arguments", "all_of_them"), [([], False), (["--all"], True)])
def test_prune_removes_old_things_or_all(
    play: Play,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    all_of_them: bool,  # noqa: FBT001 - a column of the table
) -> None:
    seen = list[object]()

    def show(_project: Project, engines: list[Engine], _console: Console, *, everything: bool) -> ExitCode:
        seen.extend([*engines, everything])
        return ExitCode.OK

    monkeypatch.setattr(prune, "show", show)
    assert play.main("prune", *arguments) == 0
    assert seen == [play.engine, all_of_them]
