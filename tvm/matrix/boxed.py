"""A cell's image, and its box: opened as the plan says, given the tree, its checks run, and what they left taken out."""

import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from tvm.error import ArchiveError, BoxGoneError, CellFailedError, EngineError, ImageError, VendorError
from tvm.matrix import collect, ends, needs, plan, tree
from tvm.matrix.engine import Box, BoxOptions, PreparedImage
from tvm.matrix.outcome import Artefact, CellOutcome, CheckOutcome, Status
from tvm.matrix.plan import PlannedCell, PlannedCheck
from tvm.matrix.results import storage
from tvm.matrix.session import Session
from tvm.support import archive
from tvm.support.record import ToolCall, strip_credentials

_READY_LIMIT = 60.0
# What a check may leave in /out, and where it goes in the cell's folder.
_TAKEN = {"artefacts": ".", "artefacts.jsonl": ".", "calls-*.jsonl": ".", "check_*.xml": "logs"}


@dataclass(frozen=True, kw_only=True)
class Variation:
    """How a box differs from another one of the same image: what a second build of a repro changes."""

    source: str = "/src"
    user: int = 1000
    hostname: str = "box"
    umask: int = 0o022
    mtime: int = 0
    backwards: bool = False
    environment: tuple[tuple[str, str], ...] = ()


PLAIN = Variation()


def prepare(session: Session, cell: PlannedCell) -> PreparedImage:
    """Return the image of a cell, built if need be; why it cannot be built is kept for the table of coverage."""
    try:
        return session.engine.prepare(
            session.project, cell.image, lambda text: session.listener.progress(cell.name, text)
        )
    except (ImageError, VendorError) as error:
        session.results.keep_reason(session.place(cell), session.tree.sha256, error.cause.splitlines()[0])
        raise


def in_box(
    session: Session, cell: PlannedCell, image: PreparedImage, folder: Path, variation: Variation = PLAIN
) -> CellOutcome:
    """Run a cell's checks in a box of `image` and leave what they gave in `folder` (artefacts/, logs/)."""
    with opened(session, cell, image, variation) as box:
        ready(
            box,
            tree.stream(session.tree, user=variation.user, mtime=variation.mtime, backwards=variation.backwards),
            environment_of(cell, variation),
        )
        checks = tuple(_check(session, cell, check, box, folder, variation) for check in cell.checks)
        outcome = _collected(session, box, cell, checks, folder)
        keep = session.keep and outcome.status is not Status.PASSED
        # One that is gone cannot be kept.
        with suppress(BoxGoneError):
            box.close(keep=keep)
            if keep:
                session.listener.progress(cell.name, f"kept {_look(session, box)}")
    return outcome


def _look(session: Session, box: Box) -> str:
    """Return how to look into a box that was kept."""
    if session.local:
        return f"{box.name}, until you remove it"
    return f"until its limit: {session.engine.name} exec -it {box.name} sh"


@contextmanager
def opened(session: Session, cell: PlannedCell, image: PreparedImage, variation: Variation = PLAIN) -> Iterator[Box]:
    """Open a box and close it at the end of the block; an engine that is gone does not hide why the block ended."""
    box = open_box(session, cell, image, variation)
    try:
        yield box
    except BaseException:
        with suppress(EngineError):
            box.close()
        raise
    box.close()


def open_box(session: Session, cell: PlannedCell, image: PreparedImage, variation: Variation = PLAIN) -> Box:
    """Open a box for a cell; after the cell's limit it ends by itself, whatever became of the runner."""
    options = BoxOptions(
        cell=cell.name,
        run_id=session.run_id,
        limit=cell.limit,
        env=environment_of(cell, variation),
        source=variation.source,
        user=variation.user,
        hostname=variation.hostname,
        umask=variation.umask,
        gpu=session.gpu,
    )
    return session.engine.open(image, options)


def environment_of(cell: PlannedCell, variation: Variation = PLAIN) -> dict[str, str]:
    """Return the environment of a cell's box: what the plan says, and what the variation gives of HOME, TZ and the like."""
    return {**plan.box_environment(cell, variation.source), **dict(variation.environment)}


def ready(box: Box, stream: Iterable[bytes], environment: Mapping[str, str]) -> None:
    """Put a tree into a box and make the folders that its environment names."""
    # An engine may keep the stream in a file for a while.
    with storage(Path(tempfile.gettempdir())):
        box.put(stream)
    made = box.run(["mkdir", "-p", environment["HOME"], environment["TMPDIR"]], timeout=_READY_LIMIT)
    if made.code != 0:
        msg = f"the box cannot be made ready:\n{made.output}"
        raise EngineError(msg, fix="nox -s doctor")


def _check(
    session: Session, cell: PlannedCell, check: PlannedCheck, box: Box, folder: Path, variation: Variation
) -> CheckOutcome:
    session.listener.progress(cell.name, f"check {check.name}")
    started = time.monotonic()
    outcome = CheckOutcome(name=check.name, status=Status.FAILED, command=check.command)
    try:
        if unmet := needs.unmet(check, box, local=session.local):
            why = "; ".join(unmet.values())
            status = Status.UNAVAILABLE if session.local else Status.FAILED
            fix = needs.mend(cell, check, unmet, local=session.local)
            outcome, log = replace(outcome, status=status, why=why, fix=fix), why
        else:
            environment = plan.check_environment(check.name, variation.source)
            done = box.run(check.command, timeout=cell.timeout, env=environment)
            status = Status.PASSED if done.code == 0 else Status.FAILED
            outcome, log = replace(outcome, status=status, why=ends.why(done.code, cell.timeout)), done.output
    except BoxGoneError as error:
        outcome, log = replace(outcome, why=error.cause, fix=error.fix), error.cause
    with storage(folder):
        (folder / "logs").mkdir(exist_ok=True)
        (folder / "logs" / f"check_{check.name}.log").write_text(strip_credentials(log), encoding="utf-8")
    outcome = replace(outcome, seconds=time.monotonic() - started)
    session.listener.checked(cell.name, outcome, log)
    return outcome


def _collected(
    session: Session, box: Box, cell: PlannedCell, checks: Sequence[CheckOutcome], folder: Path
) -> CellOutcome:
    """Read back /out and turn it into the cell's outcome."""
    artefacts: tuple[Artefact, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    counted = tuple(checks)
    try:
        fetch(box, "/out", folder)
        counted = tuple(check if check.status is Status.UNAVAILABLE else _counted(check, folder) for check in checks)
        status, why, fix = needs.verdict(counted, require_all=session.require_all)
        artefacts, calls = collect.artefacts(folder), collect.calls(folder)
        collect.require_made(artefacts, calls)
    except CellFailedError as error:
        status, why, fix = Status.FAILED, error.cause, error.fix
    failed = [check for check in counted if check.status is Status.FAILED]
    if failed:
        status, why, fix = failed[0].status, failed[0].why, failed[0].fix
    return CellOutcome(
        cell=cell.name,
        status=status,
        checks=counted,
        artefacts=artefacts,
        calls=calls,
        why=why,
        fix=fix,
        environment=dict(box.environment),
    )


def fetch(box: Box, path: str, folder: Path) -> None:
    """Take out of a folder of a box what the runner knows: junit files into logs/, artefacts and records as they are."""
    with storage(folder), tempfile.TemporaryFile() as stream, tempfile.TemporaryDirectory(dir=folder) as scratch:
        box.get(path, stream)
        stream.seek(0)
        _unpack(stream, Path(scratch), path)
        for pattern, place in _TAKEN.items():
            for entry in sorted((Path(scratch) / Path(path).name).glob(pattern)):
                (folder / place).mkdir(exist_ok=True)
                entry.rename(folder / place / entry.name)


def _unpack(stream: BinaryIO, folder: Path, path: str) -> None:
    try:
        archive.unpack(stream, folder)
    except ArchiveError as error:
        if isinstance(error.__cause__, OSError):
            # Of this machine's disk, not of what the checks left.
            raise
        msg = f"what the checks left in {path} is refused: {error.cause}"
        raise CellFailedError(msg, fix="a check may leave plain files and folders there, nothing else") from error


def _counted(check: CheckOutcome, folder: Path) -> CheckOutcome:
    tests, failures = collect.counts(folder / "logs" / f"check_{check.name}.xml")
    if check.status is Status.PASSED and (tests == 0 or failures):
        why = "no test ran" if tests == 0 else f"{failures} of {tests} tests did not pass"
        return replace(check, status=Status.FAILED, tests=tests, failures=failures, why=why)
    return replace(check, tests=tests, failures=failures)
