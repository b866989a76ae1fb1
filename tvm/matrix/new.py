"""A new cell from a template: the recipe of its image, a check, and the lines in matrix.yaml, so that it passes at once."""

import os
import shutil
from contextlib import ExitStack
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from tvm.error import ConfigError
from tvm.matrix import _edit, loader, recipe
from tvm.matrix._semantics import FIXED_SESSIONS, RESERVED
from tvm.matrix._suggest import suggest
from tvm.matrix._template import filled
from tvm.matrix.model import Name, Project
from tvm.matrix.results import storage, write_atomic

_TEMPLATE = Path(__file__).with_name("template")
_RECIPE = ("Dockerfile", "packages.txt", "requirements.in")


def create(project: Project, name: str, suite: str | None = None) -> list[str]:
    """Write a new image, its check and their lines in matrix.yaml; return the paths. A refused name has written nothing.

    `suite` is one of matrix.yaml, by default the first that does not roll.
    """
    _require_name(name)
    words = {"@NAME@": name, "@CHECK@": name.replace("-", "_"), "@SUITE@": _suite(project, suite)}
    folder, check = project.image_folder(name), project.root / project.check_file(words["@CHECK@"])
    matrix, lock = project.root / loader.FILE, _base_lock(project)

    with ExitStack() as undo:

        def change(text: str) -> str:
            # Read once more, now that no other program changes it.
            _require_absent(loader.load(matrix), name, [folder, check])
            text = _edit.append_entry(text, "images", _filled("image.txt", words))
            text = _edit.append_entry(text, "cells", _filled("cell.txt", words))
            undo.callback(shutil.rmtree, folder, ignore_errors=True)
            _write_recipe(folder, lock, words)
            undo.callback(check.unlink, missing_ok=True)
            check.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(check, _filled("check.txt", words))
            _require_loadable(matrix, text)
            return text

        _edit.rewrite(matrix, change)
        undo.pop_all()
    made = [*(folder / file for file in sorted((*_RECIPE, recipe.LOCK))), check, matrix]
    return [path.relative_to(project.root).as_posix() for path in made]


def _require_name(name: str) -> None:
    try:
        TypeAdapter(Name).validate_python(name)
    except ValidationError:
        msg = f"{name!r} is no name of a cell"
        raise ConfigError(msg, fix="begin with a small letter; then small letters, digits and -, 40 in all") from None
    if name in FIXED_SESSIONS | RESERVED:
        msg = f"{name!r} is the name of a nox session, or reserved"
        raise ConfigError(msg, fix="give the cell another one")


def _require_absent(project: Project, name: str, paths: list[Path]) -> None:
    taken = [f"{kind}.{name} in {loader.FILE}" for kind in ("images", "cells") if name in getattr(project.matrix, kind)]
    taken += [path.relative_to(project.root).as_posix() for path in paths if os.path.lexists(path)]
    if taken:
        msg = f"{name!r} is there already: {', '.join(taken)}"
        raise ConfigError(msg, fix="choose another name, or remove what is there")


def _suite(project: Project, asked: str | None) -> str:
    known = project.matrix.suites
    if asked is not None and asked not in known:
        msg = f"no suite {asked!r} in {loader.FILE}{suggest(asked, known)}"
        raise ConfigError(msg)
    found = asked or next((name for name, suite in known.items() if not suite.rolling), next(iter(known), ""))
    if not found:
        msg = f"{loader.FILE} has no suite that an image could stand on"
        raise ConfigError(msg, fix="add one: `suites: {trixie: {}}`")
    return found


def _base_lock(project: Project) -> Path:
    path = project.image_folder(recipe.BASE) / recipe.LOCK
    if not path.is_file():
        msg = "images/base has no lock that the new image could begin with"
        raise ConfigError(msg, fix="nox -s lock -- base", looked=[str(path)])
    return path


def _write_recipe(folder: Path, lock: Path, words: dict[str, str]) -> None:
    draft = folder.with_name(f".{folder.name}.new-{os.getpid()}")
    with storage(folder):
        try:
            draft.mkdir()
            for file in _RECIPE:
                (draft / file).write_text(_filled(file, words), encoding="utf-8")
            # What it asks for is what images/base asks for, so its lock is the same.
            shutil.copyfile(lock, draft / recipe.LOCK)
            draft.rename(folder)
        finally:
            shutil.rmtree(draft, ignore_errors=True)


def _require_loadable(matrix: Path, text: str) -> None:
    draft = matrix.with_name(f".{matrix.name}.new-{os.getpid()}")
    try:
        with storage(draft):
            draft.write_text(text, encoding="utf-8")
        loader.load(draft)
    finally:
        draft.unlink(missing_ok=True)


def _filled(file: str, words: dict[str, str]) -> str:
    return filled((_TEMPLATE / file).read_text(encoding="utf-8"), words)
