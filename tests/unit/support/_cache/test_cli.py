import subprocess
import sys
from pathlib import Path

import pytest

import tvm
from tvm.support._cache import cli
from tvm.support._cache.store import File, Product, Store


def _fill(opened: Store) -> None:
    opened.save("ab" * 32, Product(files={"product": File(data=bytes(2000))}), [])


def test_stats_say_where_and_how_much(opened: Store, capsys: pytest.CaptureFixture[str]) -> None:
    _fill(opened)

    assert cli.main(["stats"]) == 0
    said = capsys.readouterr().out
    assert f"folder: {opened.root}" in said
    assert "mode: on\nlimit: 5.0 GiB\nremote: none\nsize: 2." in said
    assert "blobs: 1" in said


def test_stats_make_no_cache(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["stats"]) == 0
    assert "empty" in capsys.readouterr().out
    assert not folder.exists()


def test_verify_fails_once_for_what_is_damaged(opened: Store, capsys: pytest.CaptureFixture[str]) -> None:
    _fill(opened)
    next(opened.files("blobs")).write_bytes(b"?")

    assert cli.main(["verify"]) == 1
    assert "0 sound, 1 damaged and removed, 2 without" in capsys.readouterr().out
    assert cli.main(["verify"]) == 0


def test_prune_keeps_the_limit_or_nothing(
    opened: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _fill(opened)
    assert cli.main(["prune"]) == 0
    assert capsys.readouterr().out == "removed 0 files, 0 B\n"
    monkeypatch.setenv("TVM_COMPILE_CACHE_SIZE", "100")
    assert cli.main(["prune"]) == 0
    _fill(opened)
    monkeypatch.delenv("TVM_COMPILE_CACHE_SIZE")
    assert cli.main(["prune", "--all"]) == 0
    assert list(opened.files("blobs")) == []


@pytest.mark.parametrize("command", ["stats", "prune"])
def test_a_wrong_setting_is_said_without_a_traceback(
    command: str, opened: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert opened.writable
    monkeypatch.setenv("TVM_COMPILE_CACHE_SIZE", "much")

    assert cli.main([command]) == 3
    assert capsys.readouterr().err.startswith("TVM_COMPILE_CACHE_SIZE is no size: 'much'\nfix: ")


def test_it_is_a_command(folder: Path) -> None:
    environment = {"PYTHONPATH": str(Path(tvm.__file__).parents[1]), "TVM_COMPILE_CACHE_DIR": str(folder)}
    command = [sys.executable, "-m", "tvm.support.cache", "stats"]

    done = subprocess.run(command, env=environment, capture_output=True, check=True, timeout=60)

    assert str(folder).encode() in done.stdout


@pytest.mark.parametrize(("count", "text"), [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (5 << 30, "5.0 GiB")])
def test_sizes_are_readable(count: int, text: str) -> None:
    assert cli.size(count) == text
