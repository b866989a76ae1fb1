"""The stand-in for Xcode: what its xcrun answers, and what its SDKs say."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.images import scripts
from tvm.support import process

apple = scripts.load("cross/apple.py")
SYMBOLS = scripts.IMAGES / "cross" / "symbols.txt"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a stand-in."""
    monkeypatch.setattr(apple, "NOTES", tmp_path / "notes")
    made = tmp_path / "an apple"
    apple.main(made, SYMBOLS)
    return made


def xcrun(folder: Path, *words: str) -> tuple[int, str]:
    done = process.run([folder / "bin" / "xcrun", *words], check=False, timeout=20)
    return done.code, done.output.strip()


def test_xcrun_finds_clang(folder: Path) -> None:
    assert xcrun(folder, "-sdk", "macosx", "-find", "clang") == (0, str(folder / "bin" / "clang"))


@pytest.mark.parametrize(
    ("sdk", "name"), [("macosx", "MacOSX"), ("iphoneos", "iPhoneOS"), ("iphonesimulator", "iPhoneSimulator")]
)
def test_xcrun_knows_where_an_sdk_is(sdk: str, name: str, folder: Path) -> None:
    assert xcrun(folder, "--sdk", sdk, "--show-sdk-path") == (0, str(folder / f"{name}.sdk"))


def test_xcrun_says_that_metal_is_not_there(folder: Path) -> None:
    assert xcrun(folder, "-sdk", "macosx", "metal", "-c") == (
        72,
        'xcrun: error: unable to find utility "metal", not a developer tool or in PATH',
    )


def test_xcrun_refuses_an_sdk_that_it_has_not(folder: Path) -> None:
    assert xcrun(folder, "-sdk", "appletvos", "-find", "clang") == (
        1,
        'xcrun: error: SDK "appletvos" cannot be located',
    )


@pytest.mark.parametrize("sdk", apple.SDKS, ids=[sdk.name for sdk in apple.SDKS])
def test_an_sdk_says_its_version_and_has_the_c_library(sdk: Any, folder: Path) -> None:
    root = folder / f"{sdk.folder}.sdk"
    assert json.loads((root / "SDKSettings.json").read_text(encoding="utf-8"))["Version"] == sdk.version
    stub = (root / "usr" / "lib" / "libm.tbd").read_text(encoding="utf-8")
    assert f"targets: [ {', '.join(sdk.targets)} ]" in stub
    assert "'_expf'" in stub
    assert "'dyld_stub_binder'" in stub


def test_the_stand_in_says_what_it_is(folder: Path, tmp_path: Path) -> None:
    assert folder.is_dir()
    assert "stand-ins" in (tmp_path / "notes" / "apple").read_text(encoding="utf-8")


def test_no_symbol_is_listed_twice() -> None:
    names = apple.read_symbols(SYMBOLS)
    assert len(names) == len(set(names))
