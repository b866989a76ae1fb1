import hashlib
import json
from pathlib import Path

import pytest

from tests.unit.images import scripts
from tests.unit.stand_in import MakeStandIn

inventory = scripts.load("base/inventory.py")


@pytest.fixture
def output(tmp_path: Path, stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where the inventory goes; around it a small image: two packages, one half removed, one wheel, one note."""
    stand_in("dpkg-query", output="ii  bash 5.2-1\nrc  gone 1.0\nii  zlib1g:amd64 1:1.3\n", makes=False)
    wheel = tmp_path / "venv" / "python3.13" / "site-packages" / "numpy-2.0.dist-info"
    wheel.mkdir(parents=True)
    (wheel / "METADATA").write_text("Metadata-Version: 2.1\nName: numpy\nVersion: 2.0\n", encoding="utf-8")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "ndk").write_text("A stand-in.\n", encoding="utf-8")
    made = tmp_path / "share" / "inventory.json"
    for name, value in {"OUTPUT": made, "NOTES": tmp_path / "notes", "WHEELS": tmp_path / "venv"}.items():
        monkeypatch.setattr(inventory, name, value)
    for name, text in {"IMAGE": "ndk", "SUITE": "trixie", "VENDOR_ROUTE": "stand-in", "TOOLS": "{}"}.items():
        monkeypatch.setenv(name, text)
    return made


def test_inventory_says_what_the_image_holds(
    output: Path, stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    clang = Path(stand_in("clang", output="Debian\nclang version 19.1.7\nTarget: x\n").path)
    monkeypatch.setenv("TOOLS", json.dumps({"ndk-clang": ["clang", "--version"]}))
    assert inventory.main() == 0
    sha256 = hashlib.sha256(clang.read_bytes()).hexdigest()
    assert json.loads(output.read_text(encoding="utf-8")) == {
        "image": "ndk",
        "suite": "trixie",
        "vendor_route": "stand-in",
        "dpkg": {"bash": "5.2-1", "zlib1g:amd64": "1:1.3"},
        "pip": {"numpy": "2.0"},
        "tools": {"ndk-clang": {"path": str(clang), "version": "clang version 19.1.7", "sha256": sha256}},
        "note": "A stand-in.",
    }


def test_the_same_image_gives_the_same_bytes(output: Path) -> None:
    assert inventory.main() == 0
    first = output.read_bytes()
    assert inventory.main() == 0
    assert output.read_bytes() == first


def test_every_absent_or_silent_tool_is_told_and_nothing_is_written(
    output: Path, stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stand_in("dumb", output="no number\n")
    stand_in("broken", output="broken 1.0\n", code=3)
    tools = {name: [name, "--version"] for name in ("absent", "broken", "dumb")}
    monkeypatch.setenv("TOOLS", json.dumps(tools))
    assert inventory.main() == 1
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "absent: matrix.yaml lists it for this image, but there is no absent on PATH"
    assert said[1] == "broken: broken --version says no version (exit code 3): broken 1.0"
    assert said[2] == "dumb: dumb --version says no version (exit code 0): no number"
    assert not output.exists()


def test_a_library_is_the_file_that_its_version_line_ends_with(
    output: Path, tmp_path: Path, stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = tmp_path / "libnvrtc.so.12"
    library.write_bytes(b"library")
    stand_in("python", output=f"nvrtc 12.9 {library}\n")
    monkeypatch.setenv("TOOLS", json.dumps({"nvrtc": ["python", "-c", "print"]}))
    assert inventory.main() == 0
    found = json.loads(output.read_text(encoding="utf-8"))["tools"]["nvrtc"]
    assert (found["path"], found["sha256"]) == (str(library), hashlib.sha256(b"library").hexdigest())


def test_a_tool_whose_version_another_program_knows_is_the_program_of_its_name(
    output: Path, stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = stand_in("rocminfo").path
    monkeypatch.setenv("TOOLS", json.dumps({"rocminfo": ["dpkg-query", "--show", "rocminfo"]}))
    stand_in("dpkg-query", output="ii rocminfo 7.2.4-1\n", makes=False)
    assert inventory.main() == 0
    assert json.loads(output.read_text(encoding="utf-8"))["tools"]["rocminfo"]["path"] == str(program)
