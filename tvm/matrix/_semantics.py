"""What matrix.yaml must agree with: itself, the tools table and the folders beside it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tvm.matrix import tools
from tvm.matrix._suggest import suggest
from tvm.matrix._yaml import Document, Key, Problem
from tvm.support.utils import is_folder

# Sessions that noxfile.py names itself: a cell is a session too, so it cannot have one of these names.
FIXED_SESSIONS = frozenset(
    (
        "bench",
        "coverage",
        "docs",
        "doctor",
        "e2e",
        "engine",
        "lint",
        "lock",
        "prune",
        "repro",
        "report",
        "tests",
        "types",
    )
)
# The folder images/base that every image stands on, and the word that names every cell.
RESERVED = frozenset(("base", "all"))

_Finding = tuple[Key, str]


def problems(document: Document, root: Path) -> list[Problem]:
    """Return what does not fit together. Values of a wrong type are passed over: the model reports those."""
    rules: tuple[Callable[[Any, Path], Iterator[_Finding]], ...] = (
        _names,
        _images,
        _cells,
        _engines,
        _folders,
        _checks,
    )
    found = (finding for rule in rules for finding in rule(document.value, root))
    return [Problem(line=document.line(path), path=path, message=message) for path, message in found]


def _table(value: Any, *keys: str) -> dict[str, Any]:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _names(value: Any, _root: Path) -> Iterator[_Finding]:
    for name in _table(value, "cells"):
        if name in FIXED_SESSIONS:
            yield ("cells", name), "is the name of a nox session; give the cell another one"
        elif name in RESERVED:
            yield ("cells", name), "is a reserved name; give the cell another one"
    for name in RESERVED & _table(value, "images").keys():
        yield ("images", name), "is a reserved name; give the image another one"


def _images(value: Any, _root: Path) -> Iterator[_Finding]:
    suites, known = _table(value, "suites"), tools.names()
    for name, image in _table(value, "images").items():
        suite = _table(image).get("suite")
        if isinstance(suite, str) and suite not in suites:
            yield ("images", name, "suite"), f"suite {suite!r} is not among suites{suggest(suite, suites)}"
        for tool in _table(image, "tools"):
            if tool not in known:
                yield ("images", name, "tools", tool), f"tool is not in tvm/matrix/tools.toml{suggest(tool, known)}"


def _cells(value: Any, _root: Path) -> Iterator[_Finding]:
    images = _table(value, "images")
    for name, cell in _table(value, "cells").items():
        image = _table(cell).get("image")
        if not isinstance(image, str):
            continue
        if image not in images:
            yield ("cells", name, "image"), f"image {image!r} is not among images{suggest(image, images)}"
            continue
        held = _table(images[image], "tools")
        for check, needs in _table(cell, "checks").items():
            yield from _needs(("cells", name, "checks", check), image, _list(needs), held)


def _engines(value: Any, _root: Path) -> Iterator[_Finding]:
    cells = _table(value, "cells")
    for name in _table(value, "engines"):
        if name not in cells:
            yield ("engines", name), f"cell {name!r} is not among cells{suggest(name, cells)}"


def _needs(path: Key, image: str, needs: list[Any], held: dict[str, Any]) -> Iterator[_Finding]:
    for index, need in enumerate(needs):
        if isinstance(need, str) and need not in held:
            yield (*path, index), f"need {need!r} stands in no tools of image {image!r}{suggest(need, held)}"


def _folders(value: Any, root: Path) -> Iterator[_Finding]:
    images = _table(value, "images")
    for name in ("base", *images) if images else ():
        path: Key = ("images", name) if name in images else ("images",)
        folder = root / "images" / name
        if not folder.is_dir():
            yield path, f"its folder images/{name} is missing"
        elif not (folder / "Dockerfile").is_file():
            yield path, f"its recipe images/{name}/Dockerfile is missing"
    for name, image in _table(value, "images").items():
        for index, further in enumerate(_list(_table(image).get("context"))):
            if isinstance(further, str) and not is_folder(root / further):
                yield ("images", name, "context", index), f"its folder {further} is missing"


def _checks(value: Any, root: Path) -> Iterator[_Finding]:
    for name, cell in _table(value, "cells").items():
        backend = _table(cell).get("backend")
        if isinstance(backend, str) and not is_folder(root / "backends" / backend):
            yield ("cells", name, "backend"), f"its folder backends/{backend} is missing"
        for check in _table(cell, "checks"):
            file = f"tests/matrix/check_{check}.py"
            if not (root / file).is_file():
                yield ("cells", name, "checks", check), f"its file {file} is missing"
