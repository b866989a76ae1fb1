"""Small projects on disk: a matrix.yaml with the folders and files that it names."""

from pathlib import Path

from tvm.matrix.loader import load
from tvm.matrix.model import Project

# One suite, one image, one cell; tests replace lines of it.
TEXT = """\
schema: 1
suites:
  trixie: {}
images:
  host:
    suite: trixie
    tools: {gcc: "==14.*", tar: ">=1.35"}
cells:
  host:
    image: host
    archs: {x86_64: executed, riscv64: compiled}
    checks: {cc: [gcc, tar], tar: [tar]}
    tags: [native]
    timeout: 60
"""


def write_project(
    root: Path, text: str = TEXT, *, images: tuple[str, ...] = ("base", "host"), checks: tuple[str, ...] = ("cc", "tar")
) -> Path:
    """Write a project and return its matrix.yaml."""
    for image in images:
        folder = root / "images" / image
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "Dockerfile").write_text("ARG BASE\nFROM ${BASE}\n")
    for check in checks:
        file = root / "tests" / "matrix" / f"check_{check}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    file = root / "matrix.yaml"
    file.write_text(text)
    return file


def make_project(
    root: Path, text: str = TEXT, *, images: tuple[str, ...] = ("base", "host"), checks: tuple[str, ...] = ("cc", "tar")
) -> Project:
    """Write a project and load it."""
    return load(write_project(root, text, images=images, checks=checks))
