import hashlib
import json
import signal
from pathlib import Path

import pytest

from tests.unit.matrix import fake_engine as fake
from tests.unit.matrix.commands.playing import Play, make_play
from tests.unit.matrix.fake_engine import Answer, Call, FakeBox, FakeEngine
from tests.unit.matrix.world import CHECK_CC
from tvm.error import ImageError, VendorError
from tvm.matrix import shell
from tvm.matrix.engine import hosts
from tvm.matrix.signals import Interrupted


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    return make_play(tmp_path, monkeypatch)


def statuses(play: Play) -> list[str]:
    """Return the status of each cell in report.json."""
    data = json.loads((play.results.folder / "report.json").read_text(encoding="utf-8"))
    return [cell["status"] for cell in data["cells"]]


def test_run_prints_the_tables_and_where_the_manifest_lies(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    assert play.main("run", "host") == 0
    text = capsys.readouterr().out
    manifest = play.results.good("host") / "manifest.json"
    assert text.endswith(f"host: passed, manifest {manifest}\n")
    assert "libkernel.so" in text
    assert "cc 2/2, tar 2/2" in text
    assert statuses(play) == ["passed"]


def test_run_takes_the_engine_that_is_named(play: Play) -> None:
    play.main("run", "host", "--engine", "podman")
    play.main("run", "host")
    assert play.asked == ["podman", None]


def test_a_failed_run_ends_with_one_and_still_prints_the_table(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    play.engine.programs[CHECK_CC] = fake.fails()
    assert play.main("run", "host") == 1
    out, err = capsys.readouterr()
    assert "failed: host: pytest ended with 1" in err
    assert "cc 1/2, tar 2/2" in out
    assert statuses(play) == ["failed"]


@pytest.mark.parametrize(("words", "gpu"), [((), False), (("--gpu",), True)])
def test_run_asks_for_a_gpu_on_request(play: Play, words: tuple[str, ...], gpu: bool) -> None:  # noqa: FBT001 - a parameter of the table
    play.main("run", "host", *words)
    assert [box.options.gpu for box in play.engine.boxes] == [gpu]


def test_run_keeps_the_box_on_request(play: Play) -> None:
    play.engine.programs[CHECK_CC] = fake.fails()
    play.main("run", "host", "--keep")
    assert play.engine.boxes[0].closed == [True]


@pytest.mark.parametrize("error", [ImageError("step 3 failed"), VendorError("cut off")])
def test_an_image_that_cannot_be_made_ends_with_its_own_code(
    play: Play, capsys: pytest.CaptureFixture[str], error: ImageError | VendorError
) -> None:
    play.engine.broken["host"] = error
    assert play.main("run", "host") == error.exit_code
    assert capsys.readouterr().err == f"tvm-matrix: error: {error.cause}\n"
    assert statuses(play) == []


def test_an_engine_that_is_gone_ends_with_four(play: Play) -> None:
    play.engine.dead = True
    assert play.main("run", "host") == 4


def test_an_interrupted_run_ends_with_its_code_and_the_report_as_it_was(play: Play) -> None:
    play.main("run", "host")
    play.engine.programs[CHECK_CC] = fake.raises(Interrupted(signal.SIGHUP))
    assert play.main("run", "host") == 129
    assert statuses(play) == ["passed"]


def test_repro_prints_the_digests_and_what_differed(
    play: Play, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.sleep", lambda _seconds: None)
    assert play.main("repro", "host") == 0
    lines = capsys.readouterr().out.splitlines()
    assert f"{hashlib.sha256(b'a tar').hexdigest()}  a.tar" in lines
    assert lines[-1].startswith("host: 2 artefacts, two builds identical; the builds differed in source folder, HOME,")


def test_repro_of_images_says_what_they_hold(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    assert play.main("repro", "--images", "host") == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("image host: ")
    assert play.engine.boxes == []


def test_repro_of_a_difference_ends_with_nine_and_names_it(
    play: Play, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def leaks(box: FakeBox, call: Call) -> Answer:
        return fake.passes(box.options.hostname.encode())(box, call)

    monkeypatch.setattr("time.sleep", lambda _seconds: None)
    play.engine.programs[CHECK_CC] = leaks
    assert play.main("repro", "host") == 9
    assert "libkernel.so: 3 and 9 bytes, first difference at byte 0" in capsys.readouterr().err


def test_build_prints_the_product(
    play: Play, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def compiles(box: FakeBox, _call: Call) -> Answer:
        (box.out / "build" / "a.so").write_bytes(b"code")
        return Answer()

    play.engine.programs["tvm.matrix.builders"] = compiles
    (tmp_path / "a.c").touch()
    monkeypatch.chdir(tmp_path)
    assert play.main("build", "a.c", "--cell", "host", "--arch", "riscv64", "-o", "a.so") == 0
    sha256 = hashlib.sha256(b"code").hexdigest()
    assert capsys.readouterr().out.splitlines()[-1] == f"a.so: host riscv64, 4 bytes, sha256 {sha256}"


def test_build_of_a_missing_source_asks_no_engine(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    assert play.main("build", "nope.c", "--cell", "host", "-o", "a.so") == 8
    assert "'nope.c': no such source file" in capsys.readouterr().err
    assert play.asked == []


def test_build_in_a_cell_without_a_builder_asks_no_engine(
    play: Play, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = play.matrix.read_text(encoding="utf-8")
    play.matrix.write_text(text.replace("host:", "tool:").replace("image: host", "image: tool"), encoding="utf-8")
    (play.matrix.parent / "images" / "host").rename(play.matrix.parent / "images" / "tool")
    (tmp_path / "a.c").touch()
    assert play.main("build", str(tmp_path / "a.c"), "--cell", "tool", "-o", "a.so") == 3
    assert play.asked == []
    assert "cell tool builds no sources: tvm/matrix/builders has nothing for the image tool" in capsys.readouterr().err


def test_build_in_an_unknown_cell_asks_no_engine(play: Play, tmp_path: Path) -> None:
    (tmp_path / "a.c").touch()
    assert play.main("build", str(tmp_path / "a.c"), "--cell", "nope", "-o", "a.so") == 3
    assert play.asked == []


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["repro", "host"], "repro builds twice in containers"),
        (["build", "a.c", "--cell", "host", "-o", "a.so"], "build takes the toolchain of a cell's image"),
    ],
)
def test_what_this_machine_alone_cannot_do_ends_with_four(
    play: Play,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    why: str,
) -> None:
    (tmp_path / "a.c").touch()
    monkeypatch.chdir(tmp_path)
    play.engine.name = "local"
    assert play.main(*arguments) == 4
    assert why in capsys.readouterr().err
    assert play.engine.boxes == []


@pytest.mark.parametrize(("options", "code"), [([], 0), (["--require-all"], 1)])
def test_run_without_an_engine_passes_unless_all_checks_are_required(
    play: Play, capsys: pytest.CaptureFixture[str], options: list[str], code: int
) -> None:
    play.engine.name = "local"
    play.engine.programs["gcc --version"] = fake.prints("", code=127)
    assert play.main("run", "host", *options) == code
    assert "cc unavailable, tar 2/2" in capsys.readouterr().out


def test_run_in_which_nothing_ran_ends_with_eleven(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    play.engine.name = "local"
    for tool in ("gcc", "tar"):
        play.engine.programs[f"{tool} --version"] = fake.prints("", code=127)
    assert play.main("run", "host") == 11
    assert "Debian package gcc" in capsys.readouterr().err


def test_each_cell_of_a_run_goes_to_its_own_host(
    play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    other = "  other:\n    image: host\n    archs: {x86_64: executed}\n    checks: {tar: [tar]}\n"
    play.matrix.write_text(f"{play.matrix.read_text()}{other}engines: {{other: far}}\n")
    far = FakeEngine(folder=tmp_path / "far", programs=play.engine.programs, name="podman")
    monkeypatch.setattr(hosts, "_open", {"far": far}.__getitem__)
    assert play.main("run", "host", "other") == 0
    assert [box.options.cell for box in play.engine.boxes] == ["host"]
    assert [box.options.cell for box in far.boxes] == ["other"]
    assert "other: passed" in capsys.readouterr().out


def test_repro_and_build_refuse_this_machine_s_tools_on_any_host(
    play: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    play.engine.name = "local"
    assert play.main("repro", "host") == 4
    assert "repro builds twice in containers" in capsys.readouterr().err


def test_a_shell_without_a_terminal_asks_no_engine(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    assert play.main("run", "--shell", "host") == 3
    assert "--shell needs a terminal" in capsys.readouterr().err
    assert play.asked == []


def test_a_shell_is_opened_in_a_box_of_the_cell(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = list[tuple[str, bool]]()
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setattr(shell, "open_shell", lambda session, cell: seen.append((cell.name, session.gpu)))
    assert play.main("run", "--shell", "--gpu", "host") == 0
    assert seen == [("host", True)]
