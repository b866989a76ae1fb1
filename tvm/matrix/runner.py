"""Run cells: image, box, manifest, report."""

import datetime as dt
import time
from collections.abc import Sequence
from dataclasses import replace

from tvm.error import CellFailedError, UnavailableError
from tvm.matrix import manifest, report
from tvm.matrix.boxed import in_box, prepare
from tvm.matrix.outcome import CellOutcome, Status
from tvm.matrix.plan import Plan, PlannedCell
from tvm.matrix.results import place, write_atomic
from tvm.matrix.session import Session, each


def run_cell(session: Session, cell: PlannedCell) -> CellOutcome:
    """Run a cell, swap its results in, and return what came of it. A failed check is an outcome; anything else raises."""
    session.listener.started(cell.name)
    if cell.name in session.hosts:
        session.listener.progress(cell.name, f"on {session.engine.describe()}")
    staged = session.results.staging(session.place(cell), session.run_id)
    begun, started = time.monotonic(), _now()
    try:
        image = prepare(session, cell)
        outcome = replace(in_box(session, cell, image, staged), seconds=time.monotonic() - begun)
        run = manifest.Run(
            run_id=session.run_id,
            engine=session.engine.describe(),
            builder=session.engine.name,
            tree=session.tree,
            image=image,
            started=started,
            finished=_now(),
            declared={arch: depth.name for arch, depth in cell.archs.items()},
        )
        write_atomic(staged / "manifest.json", manifest.to_json(manifest.statement(outcome, run)))
        kept = session.results.good if outcome.status is Status.PASSED else session.results.failed
        target = kept(session.place(cell))
        session.results.swap(staged, target)
    finally:
        session.results.drop(staged)
    report.write(session.project, session.tree.sha256)
    session.listener.ended(outcome, target)
    return outcome


def _now() -> str:
    return dt.datetime.now(dt.timezone.utc).isoformat(timespec="seconds").replace("+00:00", "Z")


def run_cells(session: Session, chosen: Plan) -> list[CellOutcome]:
    """Run cells one after the other (see `each`), and raise CellFailedError where a check failed."""
    outcomes = each(session, chosen, run_cell)
    _require_passed(session, outcomes)
    return outcomes


def _require_passed(session: Session, outcomes: Sequence[CellOutcome]) -> None:
    failed = [outcome for outcome in outcomes if outcome.status is not Status.PASSED]
    if failed:
        names = ", ".join(outcome.cell for outcome in failed)
        first = next((outcome for outcome in failed if outcome.status is Status.FAILED), failed[0])
        logs = session.results.failed(place(first.cell, session.of(first.cell).engine.name)) / "logs"
        kind = CellFailedError if first.status is Status.FAILED else UnavailableError
        msg = f"{first.status.value}: {names}: {first.why}"
        raise kind(msg, fix=first.fix or f"read the logs in {logs}")
