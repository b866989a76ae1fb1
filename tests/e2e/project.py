"""A small real project in a folder of its own, and how a user runs it."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tvm.matrix import tree
from tvm.support import process

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
MATRIX = [sys.executable, "-m", "tvm.matrix"]
# nox lies beside the Python that runs the tests.
NOX = [str(Path(sys.executable).parent / "nox"), "--non-interactive"]
# Seconds after which a run is given up: far more than any takes.
LIMIT = 300.0

# What of the checkout makes up a project. The rest is the small matrix's own.
_SHARED = ("tvm", "images/base", "noxfile.py", "pyproject.toml", ".gitignore")
_HELPERS = ("__init__.py", "conftest.py", "evidence.py", "publish.py", "pytest.ini")
_IDENTITY = ("-c", "user.name=e2e", "-c", "user.email=e2e@localhost", "-c", "commit.gpgsign=false")
# How the name of a report begins while it is written.
_DRAFTS = (".index", ".report", ".coverage", ".junit")
# Variables that choose an engine or reach into Python: a test says what it wants of them.
_CLEARED = ("TVM_MATRIX_", "DOCKER_", "PYTHON", "NOX", "PYTEST_", "FORCE_COLOR", "NO_COLOR")


@dataclass(frozen=True, kw_only=True)
class Project:
    """A checkout with the small matrix: `environment` is what a run has beside the machine's own."""

    root: Path
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def results(self) -> Path:
        """The folder of results."""
        return self.root / "build" / "matrix"

    def matrix(self, *arguments: str | Path, **environment: str) -> process.Completed:
        """Run `python -m tvm.matrix` to its end."""
        return self.run([*MATRIX, *arguments], **environment)

    def nox(self, *arguments: str, **environment: str) -> process.Completed:
        """Run nox to its end."""
        return self.run([*NOX, *arguments], **environment)

    def run(self, argv: list[str | Path], **environment: str) -> process.Completed:
        """Run a program in the project; an exit code is returned, never raised."""
        return process.run(argv, cwd=self.root, env=self.variables(**environment), timeout=LIMIT, check=False)

    def start(self, argv: list[str], log: Path) -> "subprocess.Popen[bytes]":
        """Start a program in the project; what it prints goes to `log`."""
        with log.open("wb") as sink:
            return subprocess.Popen(
                argv,
                cwd=self.root,
                env=self.variables(),
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
            )

    def variables(self, **environment: str) -> dict[str, str]:
        """Return the environment of a run. Nothing but the current folder makes `tvm` importable."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_CLEARED)}
        return {**kept, "TERM": "xterm", **self.environment, **environment}

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace text that stands once in a file of the project."""
        text = (self.root / name).read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{name} holds {text.count(old)} times {old!r}"
        (self.root / name).write_text(text.replace(old, new), encoding="utf-8")

    def kept(self) -> dict[str, dict[str, bytes]]:
        """Return the good result of each cell: name and bytes of its files."""
        folders = [path.parent for path in self.results.glob("*/manifest.json") if "." not in path.parent.name]
        return {folder.name: _files(folder) for folder in folders}

    def half_made(self) -> list[str]:
        """Return what no run may leave in the folder of results: folders in the making, drafts of files."""
        names = (path.relative_to(self.results).as_posix() for path in self.results.rglob("*"))
        return sorted(name for name in names if ".new-" in name or Path(name).name.startswith(_DRAFTS))


def lay(root: Path) -> None:
    """Lay the small project in a new folder: a git checkout as a user has it."""
    root.mkdir(parents=True)
    for name in _SHARED:
        _copy(ROOT / name, root / name)
    for name in _HELPERS:
        _copy(ROOT / "tests" / "matrix" / name, root / "tests" / "matrix" / name)
    for check in (HERE / "checks").glob("check_*.py"):
        _copy(check, root / "tests" / "matrix" / check.name)
    _copy(ROOT / "tests" / "__init__.py", root / "tests" / "__init__.py")
    _copy(HERE / "images" / "small", root / "images" / "small")
    _copy(HERE / "matrix.yaml", root / "matrix.yaml")
    commit(root)


def lay_real(root: Path) -> None:
    """Lay the whole checkout, with the real matrix, in a new folder: for what needs a compiler."""
    for name in tree.snapshot(ROOT).names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, root / name, follow_symlinks=False)
    commit(root)


@contextmanager
def mounted(project: Project, *, size: str) -> Iterator[Path]:
    """Put the folder of results on a file system of its own, of a size that tmpfs(5) takes, for the block."""
    aside, build = project.root / "aside", project.root / "build"
    build.rename(aside)
    build.mkdir()
    process.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", build])
    try:
        shutil.copytree(aside, build, dirs_exist_ok=True)
        yield build
    finally:
        process.run(["umount", build])


def whole(result: Mapping[str, bytes]) -> bool:
    """Say whether a cell's result has a manifest and each artefact with the hash that stands in it."""
    subjects = json.loads(result["manifest.json"])["subject"]
    return bool(subjects) and all(
        hashlib.sha256(result[f"artefacts/{item['name']}"]).hexdigest() == item["digest"]["sha256"] for item in subjects
    )


def commit(root: Path) -> None:
    """Make a git repository of a folder."""
    for arguments in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message", "e2e"]):
        process.run(["git", "-C", root, *_IDENTITY, *arguments], timeout=LIMIT)


def _files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy2(source, target)
