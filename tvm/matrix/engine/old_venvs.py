"""Venvs of local runs that no lock of the matrix asks for any more."""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tvm.error import TVMError
from tvm.matrix.engine import locks, venv
from tvm.matrix.model import Project

_PROC = Path("/proc")
# The names of environment variables by which a running box names its venv.
_PATH = b"PATH="


@dataclass(frozen=True, kw_only=True)
class Old:
    """A venv that is not needed: its folder, its bytes on the disk, and whether something uses it."""

    folder: Path
    size: int
    used: bool


def prune(project: Project, *, everything: bool = False) -> list[Old]:
    """Remove the venvs of the matrix's images that were made from other locks, or by another Python; with `everything` all.

    One that is being made, or that a program runs from, stays and is told.
    """
    return [_remove(folder) for folder in sorted(_old(project, everything=everything))]


def _old(project: Project, *, everything: bool) -> Iterator[Path]:
    found = [path for path in venv.home().glob("*-*") if path.is_dir() and not path.is_symlink()]
    if everything:
        yield from found
        return
    current = {image: _current(project, image) for image in project.matrix.images}
    for path in found:
        image = path.name.rpartition("-")[0]
        # Another project's are none of ours, and of an image without a Python here nothing is known.
        if current.get(image) and path.name != current[image]:
            yield path


def _current(project: Project, image: str) -> str:
    with suppress(TVMError):
        return venv.planned(project, image).venv.folder.name
    return ""


def _remove(folder: Path) -> Old:
    size = sum(path.lstat().st_blocks * 512 for path in folder.rglob("*"))
    with locks.held(venv.lock_of(folder)) as free:
        used = not free or _runs(folder)
        if not used:
            venv.remove(folder)
    return Old(folder=folder, size=size, used=used)


def _runs(folder: Path) -> bool:
    """Say whether a program of this user has the venv on its PATH, as all in a local box have."""
    programs = os.fsencode(folder / "bin")
    for entry in _PROC.glob("[0-9]*/environ"):
        with suppress(OSError):
            for variable in entry.read_bytes().split(b"\0"):
                if variable.startswith(_PATH) and programs in variable.removeprefix(_PATH).split(b":"):
                    return True
    return False
