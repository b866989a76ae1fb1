"""A machine without an engine: a Python whose `-m venv` and `-m pip` are played, and a project with locks."""

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.unit.matrix.projects import TEXT, make_project
from tests.unit.stand_in import MakeStandIn, StandIn
from tvm.matrix.engine import pythons
from tvm.matrix.model import Project

# `-m venv FOLDER` makes a folder with this same program in it; pip puts one distribution with a program into what it fills.
PYTHON = """
import shutil, time
def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    os.chmod(path, mode)
if args == ["--version"]:
    print("Python 3.11.2")
if args[:2] == ["-m", "venv"]:
    os.makedirs(args[2] + "/bin")
    shutil.copy(sys.argv[0], args[2] + "/bin/python")
if args[:2] == ["-m", "pip"]:
    site = os.path.dirname(os.path.dirname(sys.argv[0])) + "/lib/python3.11/site-packages"
    name, tool = ("disassembler", "tar") if "--target" in args else ("numpy", "gcc")
    if "--target" in args:
        site = args[args.index("--target") + 1]
    write(f"{site}/{name}-2.4.dist-info/METADATA", f"Metadata-Version: 2.1\\nName: {name}\\nVersion: 2.4\\n")
    write(f"{site}/nvidia/cu13/bin/{tool}", "#!/bin/sh\\necho '" + WHEEL[tool] + "'\\n", 0o755)
"""
# What the programs inside the wheels say of their versions.
WHEELS = {"gcc": "gcc (wheel) 14.2.0", "tar": "tar (GNU tar) 1.35"}
LOCK = "numpy==2.4 --hash=sha256:0\n"


@dataclass(frozen=True, kw_only=True)
class Machine:
    """The project, and the Python of this machine."""

    project: Project
    python: StandIn

    @property
    def made(self) -> list[list[str]]:
        """What Python was told to do, beside saying its version."""
        return [call for call in self.python.calls if call != ["--version"]]


def make_machine(
    folder: Path,
    stand_in: MakeStandIn,
    monkeypatch: pytest.MonkeyPatch,
    *,
    text: str = TEXT,
    wheels: dict[str, str] | None = None,
) -> Machine:
    """Return a machine whose one Python is a stand-in."""
    played = f"WHEEL = { ({**WHEELS, **(wheels or {})})!r}\n{PYTHON}"
    python = stand_in("python3", body=played, makes=False)
    # Its module alone: stand-ins are run by the true one.
    monkeypatch.setattr(pythons, "sys", SimpleNamespace(executable=python.path))
    project = make_project(folder / "project", text)
    (project.image_folder("base") / "requirements.txt").write_text(LOCK)
    return Machine(project=project, python=python)
