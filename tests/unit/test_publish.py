"""The artefacts of a check (tests/matrix/publish.py)."""

import hashlib
import json
from pathlib import Path

import pytest

from tests.matrix.evidence import linked
from tests.matrix.publish import Publisher

SHOWN = [linked("ld", "it links")]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


@pytest.fixture
def library(tmp_path: Path) -> Path:
    file = tmp_path / "libx.so"
    file.write_bytes(b"library")
    return file


def publisher(out: Path) -> Publisher:
    return Publisher(out=out, check="ndk", test="check_ndk.py::test_x")


def test_artefact_of_a_passed_test_is_kept_and_recorded(out: Path, library: Path) -> None:
    published = publisher(out)
    published("arm64-v8a/libx.so", library, target="aarch64-linux-android", arch="arm64-v8a", evidence=SHOWN)
    published.finish(passed=True)
    (line,) = (out / "artefacts.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line) == {
        "name": "arm64-v8a/libx.so",
        "path": "artefacts/arm64-v8a/libx.so",
        "sha256": hashlib.sha256(b"library").hexdigest(),
        "size": 7,
        "target": "aarch64-linux-android",
        "arch": "arm64-v8a",
        "check": "ndk",
        "test": "check_ndk.py::test_x",
        "evidence": [{"depth": "linked", "by": "ld", "detail": "it links"}],
    }
    assert (out / "artefacts" / "arm64-v8a" / "libx.so").read_bytes() == b"library"


def test_artefact_of_a_failed_test_is_taken_away(out: Path, library: Path) -> None:
    published = publisher(out)
    published("libx.so", library, target="t", arch="a", evidence=SHOWN)
    published.finish(passed=False)
    assert list((out / "artefacts").iterdir()) == []
    assert not (out / "artefacts.jsonl").exists()


def test_name_is_published_once_and_the_first_file_stays(out: Path, library: Path) -> None:
    publisher(out)("libx.so", library, target="t", arch="a", evidence=SHOWN)
    second = publisher(out)
    library.write_bytes(b"another")
    with pytest.raises(ValueError, match=r"libx\.so: another test of the cell has published that name"):
        second("libx.so", library, target="t", arch="a", evidence=SHOWN)
    second.finish(passed=False)
    assert (out / "artefacts" / "libx.so").read_bytes() == b"library"


@pytest.mark.parametrize("name", ["", "..", "a/..", "../a", "/a", "a/b/c", "a b", "a\n", "é"])
def test_unsafe_name_is_refused(name: str, out: Path, library: Path) -> None:
    with pytest.raises(ValueError, match="letters, digits"):
        publisher(out)(name, library, target="t", arch="a", evidence=SHOWN)
    assert list(out.iterdir()) == []


def test_artefact_about_which_nothing_was_shown_is_refused(out: Path, library: Path) -> None:
    with pytest.raises(ValueError, match="nothing was shown"):
        publisher(out)("libx.so", library, target="t", arch="a", evidence=[])
