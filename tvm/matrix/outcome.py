"""What came of a cell: checks, artefacts and the evidence for each, as values."""

from dataclasses import dataclass, field
from enum import Enum

from tvm.matrix.model import Depth
from tvm.support.record import ToolCall


class Status(str, Enum):
    """How a check or a cell ended."""

    PASSED = "passed"
    FAILED = "failed"


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """One thing that was shown about an artefact: how deep it goes, by which tool, and what was seen."""

    depth: Depth
    by: str
    detail: str


@dataclass(frozen=True, kw_only=True)
class Artefact:
    """A file that a passed test published: `path` is relative to the cell's folder, `test` the pytest node that made it."""

    name: str
    path: str
    sha256: str
    size: int
    target: str
    arch: str
    check: str
    test: str
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, kw_only=True)
class CheckOutcome:
    """One pytest file in one box: counts, seconds, and for a failure the output's end."""

    name: str
    status: Status
    tests: int = 0
    failures: int = 0
    seconds: float = 0.0
    why: str = ""
    fix: str = ""
    command: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class CellOutcome:
    """A cell that has run."""

    cell: str
    status: Status
    checks: tuple[CheckOutcome, ...]
    artefacts: tuple[Artefact, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    seconds: float = 0.0
    why: str = ""
    fix: str = ""
    environment: dict[str, str] = field(default_factory=dict)
