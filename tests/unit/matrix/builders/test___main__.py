import platform
from pathlib import Path

import pytest

from tests.unit.stand_in import MakeStandIn
from tvm.matrix.builders.__main__ import main

HOST = ["host", "--arch", platform.machine()]


def test_builds_with_folders_and_options(stand_in: MakeStandIn, tmp_path: Path) -> None:
    gcc = stand_in("gcc")
    code = main([*HOST, "-o", str(tmp_path / "x.o"), "-I", "a b", "-I", "c", "--option=-DN=1", "--", "-x.c"])
    assert code == 0
    (call,) = gcc.calls
    assert [call[place + 1] for place, word in enumerate(call) if word == "-I"] == ["a b", "c"]
    assert "-DN=1" in call
    assert (tmp_path / "x.o").is_file()


@pytest.mark.parametrize(
    "said",
    [
        "a.c:1:10: fatal error: my.h: No such file or directory\n",
        "a.c:1:10: fatal error: 'my.h' file not found\n",
    ],
)
def test_missing_header_is_named_with_its_fix(
    said: str, stand_in: MakeStandIn, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stand_in("gcc", output=said, code=1)
    assert main([*HOST, "-o", str(tmp_path / "libx.so"), "a.c"]) == 1
    shown = capsys.readouterr().out
    assert said in shown
    assert shown.endswith("fix: my.h was not sent: pass -I DIR\n")
    assert not (tmp_path / "libx.so").exists()


def test_compile_error_shows_the_tools_words_only(
    stand_in: MakeStandIn, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stand_in("gcc", output="a.c:2:1: error: unknown_name\n", code=1)
    assert main([*HOST, "-o", str(tmp_path / "x.o"), "a.c"]) == 1
    shown = capsys.readouterr().out
    assert "a.c:2:1: error: unknown_name" in shown
    assert "was not sent" not in shown


def test_mistake_is_one_message_without_traceback(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["host", "--arch", "sm_90a", "-o", str(tmp_path / "x.o"), "a.c"]) == 1
    assert capsys.readouterr().out.startswith("host builds for ")


def test_unknown_kind_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["metal", "--arch", "x", "-o", "x.o", "a.c"])
    assert end.value.code == 2
    assert "metal" in capsys.readouterr().err
