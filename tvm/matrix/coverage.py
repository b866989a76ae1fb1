"""Hardware x depth: what each declared arch reached in the last good run of this tree, and the why of each gap."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tvm.error import CoverageError
from tvm.matrix import manifest
from tvm.matrix.model import Depth, Project
from tvm.matrix.outcome import Status
from tvm.matrix.results import Results, place


@dataclass(frozen=True, kw_only=True)
class Row:
    """One arch of one cell: declared depth, reached depth (None: nothing), by which evidence, and why it falls short."""

    cell: str
    arch: str
    declared: Depth
    reached: Depth | None
    by: str
    why: str

    @property
    def met(self) -> bool:
        """Whether the declared depth was reached."""
        return self.reached is not None and self.reached >= self.declared


def rows(project: Project, tree_sha256: str) -> list[Row]:
    """Return a row per declared arch, in the order of matrix.yaml."""
    results = Results(folder=project.build)
    return [
        _row(name, arch, Depth[depth], _state(results, name, tree_sha256))
        for name, cell in project.matrix.cells.items()
        for arch, depth in cell.archs.items()
    ]


def summary(table: Sequence[Row]) -> str:
    """Return "n of m archs reach their declared depth"."""
    return f"{sum(row.met for row in table)} of {len(table)} archs reach their declared depth"


def to_data(table: Sequence[Row], tree_sha256: str) -> dict[str, Any]:
    """Return coverage.json as data: how many of the declared archs reach their depth, and each with the why of its gap."""
    return {
        "schema": 1,
        "tree_sha256": tree_sha256,
        "reached": sum(row.met for row in table),
        "declared": len(table),
        "archs": [_to_data(row) for row in table],
    }


def _to_data(row: Row) -> dict[str, Any]:
    reached = row.reached.name if row.reached else None
    depths = {"declared": row.declared.name, "reached": reached, "met": row.met}
    return {"cell": row.cell, "arch": row.arch, **depths, "by": row.by, "why": row.why}


def required(project: Project) -> list[str]:
    """Return the cells whose depths a run of the whole matrix must reach: those with `ci: true`; where none has it, all.

    The others are counted and shown. They may need what a machine cannot reach: a vendor's host, a device.
    """
    cells = project.matrix.cells
    return [name for name, cell in cells.items() if cell.ci] or list(cells)


def require(table: Sequence[Row], cells: Sequence[str]) -> None:
    """Raise CoverageError that names every arch of `cells` which did not reach its declared depth."""
    missed = [row for row in table if row.cell in cells and not row.met]
    if missed:
        lines = "\n".join(f"  {row.cell} {row.arch}: declared {row.declared.name}, {row.why}" for row in missed)
        names = " ".join(dict.fromkeys(row.cell for row in missed))
        msg = f"declared depth not reached:\n{lines}"
        raise CoverageError(msg, fix=f"run nox -s {names}, or add a check that reaches it")


@dataclass(frozen=True, kw_only=True)
class _State:
    """What a cell came to: `missing` says which checks could not run, `by` where the rest ran if that was no image."""

    artefacts: Sequence[Mapping[str, Any]] = ()
    why: str = ""
    missing: str = ""
    by: str = ""
    current: bool = False


def _state(results: Results, cell: str, tree_sha256: str) -> _State:
    """Return what an image gave for this tree, else what this machine's own tools gave."""
    image, local = (_of_place(results, place(cell, kind), tree_sha256) for kind in ("image", "local"))
    if image.current or not local.current:
        return image
    return replace(local, by=", local")


def _of_place(results: Results, name: str, tree_sha256: str) -> _State:
    good, failed = (_own(folder) for folder in (results.good(name), results.failed(name)))
    if failed and failed["tree"]["sha256"] == tree_sha256:
        nothing_ran = failed["status"] == Status.UNAVAILABLE.value
        return _State(why=_missing(failed) if nothing_ran else "the cell failed", current=True)
    if not good or good["tree"]["sha256"] != tree_sha256:
        if unbuilt := results.reason(name, tree_sha256):
            return _State(why=unbuilt)
        return _State(why="the result is of another tree" if good else "the cell has not run")
    return _State(artefacts=good["artefacts"], missing=_missing(good), current=True)


def _missing(own: Mapping[str, Any]) -> str:
    """Return which checks this machine could not run, with the reason."""
    checks = (check for check in own["checks"] if check["status"] == Status.UNAVAILABLE.value)
    return "; ".join(f"check {check['name']} is unavailable: {check['why']}" for check in checks)


def _own(folder: Path) -> dict[str, Any]:
    path = folder / "manifest.json"
    return manifest.own(manifest.read(path)) if path.is_file() else {}


def _row(cell: str, arch: str, declared: Depth, state: _State) -> Row:
    shown = [
        (Depth[item["depth"]], item["by"])
        for artefact in state.artefacts
        if artefact["arch"] == arch
        for item in artefact["evidence"]
    ]
    reached, by = max(shown, default=(None, ""), key=lambda pair: pair[0])
    by = f"{by}{state.by}" if by else ""
    why = state.why or ("no artefact was published for it" if reached is None else "")
    if reached is not None and reached < declared:
        why = f"reached {reached.name} by {by}"
    if why and state.missing:
        why = f"{why}; {state.missing}"
    return Row(cell=cell, arch=arch, declared=declared, reached=reached, by=by, why=why)
