"""The wheels of an image's locks on this machine: a venv in the user's cache, made once for all runs."""

import hashlib
import importlib.metadata
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_cache_path

from tvm.error import CompileError, ConfigError, ImageError
from tvm.matrix import recipe, tools
from tvm.matrix.engine import Progress, pythons
from tvm.matrix.engine.context import ca_bundle
from tvm.matrix.engine.locks import locked
from tvm.matrix.engine.printed import last_lines
from tvm.matrix.model import Project
from tvm.matrix.results import storage, write_atomic
from tvm.support import process

# Seconds for a venv, and for the download of all wheels of one lock.
_VENV_LIMIT, _PIP_LIMIT = 300.0, 3600.0
_SHOWN_LINES = 20
# Renamed into a finished venv as the last thing. A venv cannot be moved, for its scripts name their interpreter: so it is made
# where it stays, and is none before this file is there.
_WHOLE = "tvm-matrix.json"
# Beside it: wheels that an image keeps apart from its own.
_APART = "apart"
# What would send the wheels, or the interpreter, elsewhere.
_DROPPED = frozenset(
    {"PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_USER", "PIP_NO_DEPS", "PIP_REQUIREMENT", "PYTHONHOME", "PYTHONPATH"}
)


@dataclass(frozen=True, kw_only=True)
class Venv:
    """A venv that is whole: its folder, and the sha256 over locks and interpreter that it was made from."""

    folder: Path
    sha256: str

    @property
    def whole(self) -> bool:
        """Whether it is there, with all its wheels."""
        return (self.folder / _WHOLE).is_file()

    @property
    def programs(self) -> str:
        """The folder with `python`."""
        return str(self.folder / "bin")

    def wheel_programs(self) -> list[str]:
        """Return the folders inside wheels that may hold programs (nvidia/cu13/bin), sorted."""
        roots = [*self.folder.glob("lib/python*/site-packages"), *self.folder.glob(f"{_APART}/*")]
        found = {folder for root in roots for depth in ("", "*/", "*/*/") for folder in root.glob(f"{depth}bin")}
        return sorted(str(folder) for folder in found if folder.is_dir())

    def wheels(self) -> dict[str, str]:
        """Return every distribution in it with its version."""
        roots = [*self.folder.glob("lib/python*/site-packages"), *self.folder.glob(f"{_APART}/*")]
        found = importlib.metadata.distributions(path=[str(root) for root in sorted(roots)])
        return dict(sorted((one.metadata["Name"], one.version) for one in found))


@dataclass(frozen=True, kw_only=True)
class Planned:
    """A venv that is there or not: the Python that makes it, and its locks by the name of their folder ("": the image's own)."""

    venv: Venv
    python: str
    locks: Mapping[str, Path]

    @property
    def creation(self) -> list[str]:
        """The command that makes the empty venv."""
        return [self.python, "-m", "venv", str(self.venv.folder)]

    def installation(self, name: str) -> list[str]:
        """Return the command that installs the wheels of a lock."""
        place = ["--target", str(self.venv.folder / _APART / name)] if name else []
        return [*_pip(self.venv), *place, "-r", str(self.locks[name])]


def locks(project: Project, image: str) -> dict[str, Path]:
    """Return the locks that an image's tools are in, by the name of their folder; "" is the image's own, else images/base's."""
    folder = project.image_folder(image)
    files = (place / recipe.LOCK for place in (folder, project.image_folder(recipe.BASE)))
    own = next((file for file in files if file.is_file()), None)
    if own is None:
        msg = f"image {image} has no {recipe.LOCK}, so it is unknown which wheels a run on this machine needs"
        looked = [str(folder), str(project.image_folder(recipe.BASE))]
        raise ConfigError(msg, looked=looked, fix=f"nox -s lock -- {image}")
    apart = {tools.lock_folder(tool) for tool in project.matrix.images[image].tools} - {""}
    beside = {name: folder / name / recipe.LOCK for name in sorted(apart)}
    return {"": own, **{name: file for name, file in beside.items() if file.is_file()}}


def planned(project: Project, image: str) -> Planned:
    """Return the venv of an image's locks as this machine would make it; only Python is asked, for its version."""
    python = pythons.find(project.matrix.images[image].tools.get(pythons.TOOL, ""))
    wanted = locks(project, image)
    sha256 = _fingerprint(python, wanted)
    venv = Venv(folder=home() / f"{image}-{sha256[:16]}", sha256=sha256)
    return Planned(venv=venv, python=python, locks=wanted)


def home() -> Path:
    """Return the folder of all venvs."""
    return user_cache_path("tvm-matrix") / "venvs"


def make(project: Project, image: str, progress: Progress) -> Venv:
    """Return the venv of an image's locks; one that is there and whole is used again."""
    plan = planned(project, image)
    with locked(lock_of(plan.venv.folder), progress), storage(plan.venv.folder):
        if not plan.venv.whole:
            # What a killed run, or a failed download, left.
            shutil.rmtree(plan.venv.folder, ignore_errors=True)
            _fill(plan, progress)
    return plan.venv


def lock_of(folder: Path) -> str:
    """Return the name of the lock that is held while a venv is made or removed."""
    return f"venv-{folder.name}"


def remove(folder: Path) -> None:
    """Remove a venv, whose lock is held; from the first moment on it is none any more."""
    (folder / _WHOLE).unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)


def _fingerprint(python: str, wanted: Mapping[str, Path]) -> str:
    told = process.run([python, "--version"], timeout=_VENV_LIMIT).output.strip()
    contents = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in wanted.items()}
    made_from = {"python": os.path.realpath(python), "version": told, "locks": contents}
    return hashlib.sha256(json.dumps(made_from, sort_keys=True).encode()).hexdigest()


def _fill(plan: Planned, progress: Progress) -> None:
    venv = plan.venv
    venv.folder.parent.mkdir(parents=True, exist_ok=True)
    progress(f"make a venv with {plan.python}")
    _run(plan.creation, _VENV_LIMIT, f"apt-get install python3-venv (Debian), for {plan.python}")
    for name, path in plan.locks.items():
        progress(f"install the wheels of {path.parent.name}/{path.name} by their hashes")
        _run(plan.installation(name), _PIP_LIMIT, "is a package index reachable (proxy, PIP_INDEX_URL)?")
    write_atomic(venv.folder / _WHOLE, json.dumps({"wheels": venv.wheels()}, indent=1) + "\n")


def _pip(venv: Venv) -> Iterator[str]:
    yield from (f"{venv.programs}/python", "-m", "pip", "install", "-q", "--no-input", "--disable-pip-version-check")
    yield from ("--require-hashes", "--only-binary", ":all:")


def _run(command: list[str], limit: float, fix: str) -> None:
    try:
        process.run(command, heading="failed", env=_environment(), timeout=limit, cwd=os.sep)
    except CompileError as error:
        tail = last_lines(error.output, _SHOWN_LINES)
        msg = (
            f"the image's wheels cannot be installed on this machine:\n{tail}\nCommand line: {' '.join(error.command)}"
        )
        raise ImageError(msg, fix=fix) from error


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _DROPPED}
    # A slow index is waited for: pip's own limit is 15 s.
    kept.setdefault("PIP_DEFAULT_TIMEOUT", "60")
    if bundle := ca_bundle(os.environ):
        kept["PIP_CERT"] = str(bundle)
    return kept
