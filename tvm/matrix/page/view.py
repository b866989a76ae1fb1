"""What the page knows of a cell."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tvm.matrix import manifest


@dataclass(frozen=True, kw_only=True)
class Cell:
    """The last result of one cell.

    `folder` is where it lies beside the page, `data` its manifest, `before` the manifest of the run that it is compared with,
    which lies at `before_at` from the page, `proof` what its last repro has shown of the same tree. `current` is false where
    the result is of another tree.
    """

    name: str
    folder: Path
    current: bool
    revision: str
    data: dict[str, Any]
    before: dict[str, Any] | None = None
    before_at: str = ""
    proof: dict[str, Any] = field(default_factory=dict)

    @property
    def own(self) -> dict[str, Any]:
        """The part of the manifest that is ours."""
        return manifest.own(self.data)

    @property
    def failed(self) -> bool:
        """Whether the cell has failed on this tree."""
        return self.current and self.own["status"] == "failed"

    @property
    def unavailable(self) -> bool:
        """Whether no check of the cell could run on this machine, on this tree."""
        return self.current and self.own["status"] == "unavailable"

    @property
    def finished(self) -> str:
        """When the run ended (RFC 3339)."""
        return str(self.data["predicate"]["runDetails"]["metadata"]["finishedOn"])

    @property
    def is_local(self) -> bool:
        """Whether this machine's tools made it, without a container."""
        return str(self.data["predicate"]["runDetails"]["builder"]["id"]).endswith(":local")

    def tone(self, status: str) -> str:
        """Return how a status is coloured: nothing of another tree is ever green or red."""
        if not self.current:
            return "old"
        return {"passed": "good", "failed": "bad"}.get(status, "gap")


def rank(cell: Cell) -> tuple[int, str]:
    """Return the order of cells: failed, unavailable, passed, of another tree."""
    return (0 if cell.failed else 1 if cell.unavailable else 2 if cell.current else 3, cell.name)
