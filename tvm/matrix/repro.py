"""Build a cell twice in boxes that differ in everything but the image, and compare names, then bytes."""

import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tvm.error import CellFailedError, DifferenceError, TVMError
from tvm.matrix import collect, manifest, report
from tvm.matrix.boxed import PLAIN, Variation, in_box, prepare
from tvm.matrix.engine import PreparedImage
from tvm.matrix.outcome import Artefact, CellOutcome, Status
from tvm.matrix.plan import Plan, PlannedCell
from tvm.matrix.results import storage, write_atomic
from tvm.matrix.session import Session, each
from tvm.support import record

# Everything of the machine that has been seen to reach a product: path, HOME, TMPDIR's parent, host name, uid, time zone,
# locale, umask, hash seed, order of folders, file times. The second differs because there is one between the builds.
OTHER = Variation(
    source="/home/other/a-tree elsewhere",
    user=1234,
    hostname="elsewhere",
    umask=0o077,
    mtime=1_000_000_000,
    backwards=True,
    environment=(
        ("HOME", "/var/tmp/other/home"),  # noqa: S108 - inside a box
        ("LANG", "C"),
        ("PYTHONHASHSEED", "4711"),
        ("TMPDIR", "/var/tmp/other/work"),  # noqa: S108
        ("TZ", "Pacific/Chatham"),
    ),
)
_APART = 1.0
DIFFERENCES = (
    "source folder",
    "HOME",
    "TMPDIR",
    "host name",
    "uid",
    "TZ",
    "LANG",
    "umask",
    "PYTHONHASHSEED",
    "folder order",
    "file times",
    "second",
)


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One artefact that is not the same in both builds."""

    name: str
    why: str


def repro(session: Session, cell: PlannedCell) -> CellOutcome:
    """Compare a first build (the last run of this tree in this image, else one made now) with a second one; write repro.json.

    DifferenceError where the builds differ: then both are kept.
    """
    session.listener.started(cell.name)
    target = session.results.repro(cell.name)
    staged = session.results.staging(cell.name, session.run_id)
    try:
        first, second = _twice(session, cell, staged)
        found = compare(staged / "first", first, staged / "second", second.artefacts)
        write_atomic(staged / "repro.json", manifest.to_json(_proof(session, second, found)))
        if not found:
            shutil.rmtree(staged / "first")
            shutil.rmtree(staged / "second")
        session.results.swap(staged, target)
    finally:
        session.results.drop(staged)
    report.write(session.project, session.tree.sha256)
    _require_same(cell.name, found, target)
    return second


def repro_cells(session: Session, chosen: Plan, tell: Callable[[CellOutcome], None]) -> None:
    """Build each cell of a plan twice, and `tell` of those whose builds are the same. The first error is raised at the end."""

    def build(session: Session, cell: PlannedCell) -> None:
        tell(repro(session, cell))

    each(session, chosen, build)


def _require_same(name: str, found: Sequence[Difference], folder: Path) -> None:
    if found:
        lines = "\n".join(f"  {item.name}: {item.why}" for item in found)
        msg = f"{name}: two builds differ:\n{lines}"
        raise DifferenceError(msg, fix=f"compare both builds in {folder}: look for paths, times, names and orders")


def compare(
    left: Path, left_artefacts: Sequence[Artefact], right: Path, right_artefacts: Sequence[Artefact]
) -> list[Difference]:
    """Compare two builds by names, then bytes."""
    lefts, rights = ({item.name: item for item in items} for items in (left_artefacts, right_artefacts))
    found = [Difference(name=name, why="only in the first build") for name in sorted(lefts.keys() - rights.keys())]
    found += [Difference(name=name, why="only in the second build") for name in sorted(rights.keys() - lefts.keys())]
    for name in sorted(lefts.keys() & rights.keys()):
        if why := _difference(left / lefts[name].path, right / rights[name].path):
            found.append(Difference(name=name, why=why))
    return found


def _twice(session: Session, cell: PlannedCell, staged: Path) -> tuple[tuple[Artefact, ...], CellOutcome]:
    """Return the artefacts of a first build and the outcome of a second one, which lie in first/ and second/ of `staged`."""
    image = prepare(session, cell)
    first = _last_run(session, cell, image, staged / "first")
    if not first:
        first = _build(session, cell, image, staged, "first").artefacts
    time.sleep(_APART)
    # What published nothing has nothing to compare.
    publishing = {artefact.check for artefact in first}
    again = replace(cell, checks=tuple(check for check in cell.checks if check.name in publishing))
    return first, _build(session, again, image, staged, "second")


def _last_run(session: Session, cell: PlannedCell, image: PreparedImage, folder: Path) -> tuple[Artefact, ...]:
    """Copy the artefacts of the cell's last good run if that was a build of this tree in this image, unchanged since."""
    good = session.results.good(cell.name)
    try:
        with session.results.locked():
            own = manifest.own(manifest.read(good / "manifest.json"))
            if (own["tree"]["sha256"], own["image"]["id"]) != (session.tree.sha256, image.image_id):
                return ()
            shutil.copytree(good, folder)
        found = collect.artefacts(folder)
    except (TVMError, OSError):
        shutil.rmtree(folder, ignore_errors=True)
        return ()
    session.listener.progress(cell.name, "first build: the last run of this tree")
    return found


def _build(session: Session, cell: PlannedCell, image: PreparedImage, staged: Path, which: str) -> CellOutcome:
    session.listener.progress(cell.name, f"{which} build")
    with storage(staged):
        (staged / which).mkdir()
    begun = time.monotonic()
    variation = PLAIN if which == "first" else OTHER
    outcome = replace(in_box(session, cell, image, staged / which, variation), seconds=time.monotonic() - begun)
    if outcome.status is not Status.PASSED:
        session.results.swap(staged, session.results.repro(cell.name))
        logs = session.results.repro(cell.name) / which / "logs"
        msg = f"{cell.name}: the {which} build failed: {outcome.why}"
        raise CellFailedError(msg, fix=outcome.fix or f"read {logs}")
    if not outcome.artefacts:
        msg = f"{cell.name}: no check publishes an artefact, so there is nothing to compare"
        raise CellFailedError(msg, fix="publish what the checks make with the fixture `artefact`")
    return outcome


def _difference(left: Path, right: Path) -> str:
    if record.digest(left) == record.digest(right):
        return ""
    one, other = left.read_bytes(), right.read_bytes()
    offset = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return f"{len(one)} and {len(other)} bytes, first difference at byte {offset}"


def _proof(session: Session, outcome: CellOutcome, found: Sequence[Difference]) -> dict[str, object]:
    return {
        "cell": outcome.cell,
        "tree_sha256": session.tree.sha256,
        "identical": not found,
        "builds_differed_in": list(DIFFERENCES),
        "artefacts": {item.name: item.sha256 for item in outcome.artefacts},
        "differences": {item.name: item.why for item in found},
    }
