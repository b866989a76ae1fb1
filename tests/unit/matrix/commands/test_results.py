from pathlib import Path

import pytest

from tests.unit.matrix import fake_engine as fake
from tests.unit.matrix.commands.playing import Play, make_play
from tests.unit.matrix.world import CHECK_CC


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    return make_play(tmp_path, monkeypatch)


def test_coverage_of_a_cell_that_has_not_run_ends_with_ten(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    assert play.main("coverage", "host") == 10
    out, err = capsys.readouterr()
    assert out.startswith("0 of 2 archs reach their declared depth")
    assert "host x86_64: declared executed, the cell has not run" in err


def test_coverage_after_a_run_names_the_arch_that_falls_short(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    play.main("run", "host")
    capsys.readouterr()
    assert play.main("coverage") == 10
    out, err = capsys.readouterr()
    assert out.startswith("1 of 2 archs reach their declared depth")
    assert "riscv64: declared compiled, no artefact was published for it" in err
    assert "x86_64" not in err


def test_coverage_that_is_reached_ends_with_zero(play: Play) -> None:
    def both(box: fake.FakeBox, call: fake.Call) -> fake.Answer:
        answer = fake.passes()(box, call)
        fake.publish(box, "rv.o", b"rv", arch="riscv64")
        return answer

    play.engine.programs[CHECK_CC] = both
    play.main("run", "host")
    assert play.main("coverage", "host") == 0


def test_coverage_reads_the_tree_as_it_is_now(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    play.main("run", "host")
    (play.matrix.parent / "new.txt").touch()
    assert play.main("coverage", "host") == 10
    assert "the result is of another tree" in capsys.readouterr().err


def test_report_prints_the_last_results_again(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    play.main("run", "host")
    capsys.readouterr()
    (play.results.folder / "report.json").unlink()
    assert play.main("report") == 0
    assert "cc 2/2, tar 2/2" in capsys.readouterr().out
    assert (play.results.folder / "report.json").is_file()


def test_neither_asks_for_an_engine(play: Play) -> None:
    play.main("report")
    play.main("coverage")
    assert play.asked == []
