"""What a check shows about an artefact."""

from dataclasses import dataclass
from typing import Literal

Depth = Literal["compiled", "linked", "inspected", "executed"]


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """One thing that was shown: how deep it goes, by which tool, and what was seen."""

    depth: Depth
    by: str
    detail: str


def compiled(by: str, detail: str) -> Evidence:
    """Return that `by` made an object."""
    return Evidence(depth="compiled", by=by, detail=detail)


def linked(by: str, detail: str) -> Evidence:
    """Return that `by` linked, or packed objects that it can link."""
    return Evidence(depth="linked", by=by, detail=detail)


def inspected(by: str, detail: str) -> Evidence:
    """Return that the file was read by `by`, and what stands in it."""
    return Evidence(depth="inspected", by=by, detail=detail)


def executed(by: str, detail: str) -> Evidence:
    """Return that the file ran under `by`, and how its numbers compare."""
    return Evidence(depth="executed", by=by, detail=detail)
