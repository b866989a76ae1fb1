"""The command line over the engine in memory."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.unit.matrix.fake_engine import FakeEngine, passes, prints
from tests.unit.matrix.projects import write_project
from tests.unit.matrix.world import CHECK_CC, CHECK_TAR
from tvm.matrix import cli
from tvm.matrix.engine import Engine, select
from tvm.matrix.results import Results


@dataclass(frozen=True, kw_only=True)
class Play:
    """A project of one cell `host` on disk, an engine, and the names that an engine was asked for by."""

    matrix: Path
    engine: FakeEngine
    asked: list[str | None]

    @property
    def results(self) -> Results:
        """The project's results."""
        return Results(folder=self.matrix.parent / "build" / "matrix")

    def main(self, *arguments: str) -> int:
        """Run the command line on the project."""
        return cli.main(["--matrix", str(self.matrix), *arguments])


def make_play(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Return a play below `folder`; every command finds its engine."""
    engine = FakeEngine(
        folder=folder / "engine",
        programs={
            "gcc --version": prints("gcc (Debian 14.2.0-19) 14.2.0\n"),
            "tar --version": prints("tar (GNU tar) 1.35\n"),
            CHECK_CC: passes(),
            CHECK_TAR: passes(b"a tar", "a.tar"),
        },
    )
    (folder / "project").mkdir()
    play = Play(matrix=write_project(folder / "project"), engine=engine, asked=[])

    def find(name: str | None) -> Engine:
        play.asked.append(name)
        return engine

    monkeypatch.setattr(select, "select", find)
    return play
