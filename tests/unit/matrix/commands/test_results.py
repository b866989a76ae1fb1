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


def test_coverage_of_the_whole_matrix_requires_the_cells_of_ci_and_counts_all(
    play: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    """What another cell needs may be out of reach here; it is shown as 0 of n all the same."""
    text = play.matrix.read_text().replace("archs: {x86_64: executed, riscv64: compiled}", "archs: {x86_64: executed}")
    other = "  far:\n    image: host\n    archs: {a: executed, b: executed}\n    checks: {tar: [tar]}\n"
    play.matrix.write_text(f"{text}    ci: true\n{other}")
    play.main("run", "host")
    capsys.readouterr()
    assert play.main("coverage") == 0
    out = capsys.readouterr().out
    assert out.startswith("1 of 3 archs reach their declared depth")
    assert "far: 0 of 2 archs reach their declared depth; not required: no `ci: true`" in out
    assert play.main("coverage", "far") == 10


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


def test_diff_of_the_same_result_ends_with_zero(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    play.main("run", "host")
    capsys.readouterr()
    folder = str(play.results.good("host"))
    assert (play.main("diff", folder, folder), capsys.readouterr().out) == (0, "")


def test_diff_names_what_changed_since_the_run_before_and_ends_with_one(
    play: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    play.main("run", "host")
    play.engine.programs[CHECK_CC] = fake.passes(b"other")
    play.main("run", "host")
    capsys.readouterr()
    folder = play.results.good("host")
    assert play.main("diff", str(folder / "previous.json"), str(folder)) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("~ artefact libkernel.so: ")


def test_diff_of_what_is_no_manifest_ends_with_three(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    assert play.main("diff", str(play.matrix), str(play.matrix)) == 3
    assert "no manifest" in capsys.readouterr().err


def test_merge_takes_over_what_another_machine_left(
    play: Play, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    play.main("run", "host")
    play.results.folder.rename(tmp_path / "other")
    capsys.readouterr()
    assert play.main("merge", str(tmp_path / "other")) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"host: passed, from {tmp_path / 'other' / 'host'}\n")
    assert "cc 2/2, tar 2/2" in out
    assert sorted(path.name for path in play.results.folder.iterdir() if path.suffix in {".html", ".json", ".xml"}) == [
        "coverage.json",
        "index.html",
        "junit.xml",
        "report.json",
    ]


def test_run_and_merge_tell_github(play: Play, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    play.main("run", "host")
    play.main("merge", str(play.results.folder))
    text = (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert text.count("## 1 of 2 archs reach their declared depth") == 2


def test_none_of_them_asks_for_an_engine(play: Play) -> None:
    play.main("report")
    play.main("coverage")
    play.main("diff", "a", "b")
    play.main("merge", "a")
    assert play.asked == []
