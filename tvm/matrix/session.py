"""What all cells of one run share, and how a run goes from cell to cell."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol, TypeVar

from tvm.error import EngineError, StorageError, TVMError
from tvm.matrix import tree
from tvm.matrix.engine import Engine, distinct
from tvm.matrix.model import Project
from tvm.matrix.outcome import CellOutcome, CheckOutcome
from tvm.matrix.owner import owner_id
from tvm.matrix.plan import Plan, PlannedCell
from tvm.matrix.results import Results, place

Value = TypeVar("Value")


class Listener(Protocol):
    """Who is told how a run goes: the live table, or plain lines."""

    def started(self, cell: str) -> None:
        """Tell that a cell begins."""

    def progress(self, cell: str, text: str) -> None:
        """Tell one step: an image build step, a probe, a check."""

    def checked(self, cell: str, check: CheckOutcome, log: str) -> None:
        """Tell that a check has ended, with its output."""

    def ended(self, outcome: CellOutcome, folder: Path) -> None:
        """Tell that a cell has ended and where its results lie."""


@dataclass(frozen=True, kw_only=True)
class Session:
    """What all cells of one run share."""

    project: Project
    engine: Engine
    tree: tree.Tree
    run_id: str
    listener: Listener
    keep: bool = False
    gpu: bool = False
    require_all: bool = False
    # The engine of each cell where they do not all run on `engine`.
    hosts: Mapping[str, Engine] = field(default_factory=dict)

    def of(self, cell: str) -> "Session":
        """Return the session on the engine of one cell."""
        return replace(self, engine=self.hosts.get(cell, self.engine))

    @property
    def engines(self) -> list[Engine]:
        """Every engine that the run uses."""
        return distinct((self.engine, *self.hosts.values()))

    @property
    def local(self) -> bool:
        """Whether cells run on this machine's own tools: then one that is missing is no failure."""
        return self.engine.name == "local"

    def place(self, cell: PlannedCell) -> str:
        """Return the name that a cell's results have."""
        return place(cell.name, self.engine.name)

    @property
    def results(self) -> Results:
        """Where results go."""
        return Results(folder=self.project.build)


def new_session(
    project: Project,
    engine: Engine,
    listener: Listener,
    *,
    keep: bool = False,
    gpu: bool = False,
    require_all: bool = False,
    hosts: Mapping[str, Engine] | None = None,
) -> Session:
    """Take a snapshot of the tree, clear what killed runs left, and return what a run needs."""
    session = Session(
        project=project,
        engine=engine,
        tree=tree.snapshot(project.root),
        run_id=f"{owner_id()}.{time.time_ns() % 10**9:x}",
        listener=listener,
        keep=keep,
        gpu=gpu,
        require_all=require_all,
        hosts=hosts or {},
    )
    session.results.recover()
    for name in (name for one in session.engines for name in one.reap()):
        listener.progress("", f"removed {name}, whose runner is gone")
    return session


def each(session: Session, chosen: Plan, do: Callable[[Session, PlannedCell], Value]) -> list[Value]:
    """Do something with each cell; an error of one does not stop the next. Raise the first error at the end; no box stays."""
    values, errors = list[Value](), list[TVMError]()
    with swept(session):
        for cell in chosen.cells:
            try:
                values.append(do(session.of(cell.name), cell))
            except (EngineError, StorageError):  # noqa: PERF203 - a cell takes seconds
                # The next cell would meet the same.
                raise
            except TVMError as error:
                session.listener.progress(cell.name, str(error))
                errors.append(error)
    if errors:
        raise errors[0]
    return values


@contextmanager
def swept(session: Session) -> Iterator[None]:
    """Leave no box of the run behind, whatever ends the block."""
    try:
        yield
    except BaseException:
        for engine in session.engines:
            # It may be gone, which must not hide why the block ended.
            with suppress(EngineError):
                engine.sweep(session.run_id)
        raise
