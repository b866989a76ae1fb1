"""Refresh what an image is pinned to: its hash-locked wheels, the digest of its suite, the versions of its tools."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tvm.error import ConfigError, TVMError, VendorError
from tvm.matrix import _edit, recipe
from tvm.matrix._suggest import suggest
from tvm.matrix.loader import FILE
from tvm.matrix.lock import pins, requirements
from tvm.matrix.lock.change import Change, Kept
from tvm.matrix.model import Project
from tvm.matrix.results import storage, write_atomic

Progress = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What was refreshed, what could not be and why, and what failed."""

    changes: list[Change] = field(default_factory=list)
    kept: list[Kept] = field(default_factory=list)
    errors: list[TVMError] = field(default_factory=list)


def lock(project: Project, names: Sequence[str], progress: Progress) -> Outcome:
    """Refresh the pins of the named images, or of all with images/base, and write what differs.

    Everything is asked before anything is written. Who names an image wants its pins: then a vendor that does not answer is an
    error. Files whose pins did not change keep their bytes.
    """
    images = _images(project, names)
    outcome = Outcome()
    edits = _pins(project, images, outcome)
    texts = _locks(project, images, outcome, progress, named=bool(names))
    for path, text in texts.items():
        with storage(path):
            path.parent.mkdir(exist_ok=True)
        write_atomic(path, text)
    if edits:
        _edit.rewrite(project.root / FILE, lambda text: pins.apply(text, edits))
    return outcome


def _pins(project: Project, images: Sequence[str], outcome: Outcome) -> list[pins.Edit]:
    edits = []
    for found in pins.refresh(project, images):
        match found:
            case pins.Edit():
                edits.append(found)
                outcome.changes.append(found.change())
            case Kept():
                outcome.kept.append(found)
    return edits


def _locks(
    project: Project, images: Sequence[str], outcome: Outcome, progress: Progress, *, named: bool
) -> dict[Path, str]:
    texts = {}
    for one in (one for image in images for one in requirements.sets(project, image)):
        progress(one.name)
        try:
            text = requirements.resolve(one)
        except VendorError as error:
            outcome.kept.append(Kept(place=one.name, why=error.cause))
            outcome.errors.extend([error] if named else [])
        except TVMError as error:
            outcome.errors.append(error)
        else:
            if found := requirements.changes(one, text):
                outcome.changes.extend(found)
                texts[one.lock] = text
    return texts


def _images(project: Project, names: Sequence[str]) -> list[str]:
    known = [recipe.BASE, *project.matrix.images]
    for name in names:
        if name not in known:
            msg = f"no image {name!r} in matrix.yaml{suggest(name, known)}"
            raise ConfigError(msg)
    return list(dict.fromkeys(names)) or known
