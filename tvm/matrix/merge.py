"""Join the results of many machines into one folder of results and one report."""

import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tvm.error import ConfigError, SourceError
from tvm.matrix import diff, manifest
from tvm.matrix.model import Project
from tvm.matrix.owner import owner_id
from tvm.matrix.results import Results, storage
from tvm.support import record

# What another machine wrote is not trusted: how a check may be named, and the path of an artefact in its cell's folder.
_CHECK = re.compile(r"[a-z][a-z0-9_]*")
_PATH = re.compile(r"artefacts(?:/[A-Za-z0-9._+-]+)+")
_AGAIN = "fetch the results of that machine again, or run the cell again"


@dataclass(frozen=True, kw_only=True)
class Result:
    """One cell's result that another machine left: its folder, when it was finished (RFC 3339), its manifest."""

    cell: str
    folder: Path
    finished: str
    data: dict[str, Any]

    @property
    def passed(self) -> bool:
        """Whether the cell passed."""
        return bool(manifest.own(self.data)["status"] == "passed")


def merge(project: Project, folders: Sequence[Path], tell: Callable[[str], None]) -> None:
    """Take every result and repro proof below `folders` into the project's results; the newest of each cell stays.

    Nothing is taken over before all of it is known to be whole: a link, an artefact that is not what its manifest says, or a
    cell that the matrix does not have is an error that names it.
    """
    found = sorted((result for folder in folders for result in _results(project, folder)), key=_order)
    if not found:
        msg = f"no result of a cell lies below {', '.join(map(str, folders))}"
        raise ConfigError(msg, fix="name folders that hold CELL/manifest.json: build/matrix of other machines")
    for result in found:
        _require_whole(result)
    proofs = [proof for folder in folders for proof in _proofs(project, folder)]
    results = Results(folder=project.build)
    for number, result in enumerate(found):
        if _is_newer(results, result):
            _take(results, result.cell, result.folder, number, passed=result.passed)
            tell(f"{result.cell}: {manifest.own(result.data)['status']}, from {result.folder}")
        else:
            tell(f"{result.cell}: kept what is here, which is as new as {result.folder}")
    for cell, path in proofs:
        _take_proof(results, cell, path)


def _results(project: Project, folder: Path) -> Iterator[Result]:
    for path in sorted(folder.rglob("manifest.json")):
        parts = path.relative_to(folder).parts
        # An artefact may have that name; what was in the making when its runner was killed is no result.
        if "artefacts" in parts or any(".new-" in part for part in parts):
            continue
        data = diff.read(path)
        cell = data["predicate"]["buildDefinition"]["externalParameters"]["cell"]
        _require_known(project, cell, path)
        finished = data["predicate"]["runDetails"]["metadata"]["finishedOn"]
        yield Result(cell=cell, folder=path.parent, finished=finished, data=data)


def _proofs(project: Project, folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*.repro/repro.json")):
        try:
            cell = str(manifest.load_json(path)["cell"])
        except (OSError, ValueError, KeyError, TypeError):
            msg = f"{path}: not what a repro writes"
            raise SourceError(msg, fix=_AGAIN) from None
        _require_known(project, cell, path)
        yield cell, path


def _order(result: Result) -> tuple[str, str, str]:
    return (result.finished, result.cell, str(result.folder))


def _require_known(project: Project, cell: str, path: Path) -> None:
    if cell not in project.matrix.cells:
        msg = f"{path}: the matrix has no cell {cell!r}"
        raise ConfigError(msg, fix="merge the results of one matrix, at one revision")


def _require_whole(result: Result) -> None:
    for path in (result.folder, *result.folder.rglob("*")):
        if path.is_symlink() or not (path.is_dir() or path.is_file()):
            msg = f"{path}: only files and folders are merged"
            raise SourceError(msg, fix=_AGAIN)
    for check in manifest.own(result.data)["checks"]:
        if not _CHECK.fullmatch(str(check["name"])):
            msg = f"{result.folder}: no name of a check: {check['name']!r}"
            raise SourceError(msg, fix=_AGAIN)
    for item in manifest.own(result.data)["artefacts"]:
        path = result.folder / str(item["path"])
        safe = _PATH.fullmatch(str(item["path"])) and ".." not in path.parts
        if not safe or not path.is_file() or record.digest(path) != item["sha256"]:
            msg = f"{result.folder}: artefact {item['name']} is not what the manifest says"
            raise SourceError(msg, fix=_AGAIN)


def _is_newer(results: Results, result: Result) -> bool:
    """Say whether neither the good nor the failed result that is here is as new."""
    here = (results.good(result.cell) / "manifest.json", results.failed(result.cell) / "manifest.json")
    times = [
        manifest.read(path)["predicate"]["runDetails"]["metadata"]["finishedOn"] for path in here if path.is_file()
    ]
    return all(time < result.finished for time in times)


def _take(results: Results, cell: str, folder: Path, number: int, *, passed: bool) -> None:
    staged = results.staging(cell, f"{owner_id()}.m{number:x}")
    try:
        with storage(staged):
            shutil.copytree(folder, staged, dirs_exist_ok=True)
        results.swap(staged, results.good(cell) if passed else results.failed(cell))
    finally:
        results.drop(staged)


def _take_proof(results: Results, cell: str, path: Path) -> None:
    """Take what a repro has shown, not the builds that lie beside it. It says of which tree it is, but not when it was made."""
    if path.parent.resolve() == results.repro(cell).resolve():
        return
    staged = results.staging(cell, f"{owner_id()}.r")
    try:
        with storage(staged):
            shutil.copyfile(path, staged / "repro.json")
        results.swap(staged, results.repro(cell))
    finally:
        results.drop(staged)
