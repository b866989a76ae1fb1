"""One cell's manifest: an in-toto statement with a SLSA provenance predicate, and what this project adds to it.

Sources: in-toto Statement v1 and SLSA provenance v1 as published by their projects. A consumer must ignore fields that it does
not know, so what is ours stands under `tvm_matrix` in the predicate.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, cast

from tvm.error import TVMError
from tvm.matrix import results
from tvm.matrix.engine import PreparedImage
from tvm.matrix.model import Depth
from tvm.matrix.outcome import Artefact, CellOutcome
from tvm.matrix.tree import Tree
from tvm.support.record import ToolCall, strip_credentials

BUILD_TYPE = "urn:tvm-matrix:cell:1"
_BUILDER = "urn:tvm-matrix:builder:"
STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "https://slsa.dev/provenance/v1"


@dataclass(frozen=True, kw_only=True)
class Run:
    """What a manifest says of the run beside its outcome: who ran it, where, on which tree, in which image, when (RFC 3339)."""

    run_id: str
    engine: str
    builder: str
    tree: Tree
    image: PreparedImage
    started: str
    finished: str
    declared: dict[str, str]


def statement(outcome: CellOutcome, run: Run) -> dict[str, Any]:
    """Return the manifest of a cell as data."""
    subjects = [{"name": item.name, "digest": {"sha256": item.sha256}} for item in outcome.artefacts]
    return {
        "_type": STATEMENT,
        "subject": subjects,
        "predicateType": PREDICATE,
        "predicate": {
            "buildDefinition": {
                "buildType": BUILD_TYPE,
                "externalParameters": {"cell": outcome.cell, "archs": run.declared},
                "internalParameters": {"environment": outcome.environment},
                "resolvedDependencies": _dependencies(run),
            },
            "runDetails": {
                "builder": {"id": f"{_BUILDER}{run.builder}", "version": {"engine": run.engine}},
                "metadata": {"invocationId": run.run_id, "startedOn": run.started, "finishedOn": run.finished},
            },
            "tvm_matrix": _own(outcome, run),
        },
    }


def to_json(data: dict[str, Any]) -> str:
    """Return the text of a manifest or report: sorted keys, two blanks, a newline at the end."""
    return strip_credentials(json.dumps(data, indent=2, sort_keys=True)) + "\n"


def read(path: Path) -> dict[str, Any]:
    """Return a manifest that this version understands; anything else raises TVMError that names the file."""
    try:
        data = load_json(path)
        if data["predicate"]["buildDefinition"]["buildType"] == BUILD_TYPE:
            return data
        cause = f"{path}: written by another version of tvm-matrix"
    except (OSError, ValueError, KeyError, TypeError):
        cause = f"{path}: no manifest"
    raise TVMError(cause, fix=f"remove the folder {path.parent.name} and run the cell again")


def load_json(path: Path) -> dict[str, Any]:
    """Return a JSON object from a file."""
    return cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8")))


def own(data: dict[str, Any]) -> dict[str, Any]:
    """Return the part of a manifest that is ours."""
    return cast("dict[str, Any]", data["predicate"]["tvm_matrix"])


def place(data: dict[str, Any]) -> str:
    """Return the name that the results have of the cell that a manifest is of: see Results.place."""
    cell = str(data["predicate"]["buildDefinition"]["externalParameters"]["cell"])
    builder = str(data["predicate"]["runDetails"]["builder"]["id"])
    return results.place(cell, builder.removeprefix(_BUILDER))


def recipe(artefact: Artefact, calls: Sequence[ToolCall]) -> list[int]:
    """Return which calls made an artefact, in the order they ran: its producer, and the producers of what each of them read."""
    wanted, made = [artefact.sha256], set[int]()
    while wanted:
        sha256 = wanted.pop()
        for number, call in enumerate(calls):
            if number not in made and sha256 in {output.sha256 for output in call.outputs}:
                made.add(number)
                wanted += [item.sha256 for item in call.inputs]
    return sorted(made)


def _dependencies(run: Run) -> list[dict[str, Any]]:
    tree = {"name": "tree", "digest": {"sha256": run.tree.sha256}}
    if run.tree.revision:
        tree["digest"] = {"sha256": run.tree.sha256, "gitCommit": run.tree.revision}
    image = {
        "name": f"image {run.image.name}:{run.image.tag}",
        "digest": {"sha256": run.image.image_id.removeprefix("sha256:")},
    }
    inventory = {"name": "inventory", "digest": {"sha256": run.image.inventory_sha256}}
    return [tree, image, inventory]


def _own(outcome: CellOutcome, run: Run) -> dict[str, Any]:
    return {
        "status": outcome.status.value,
        "why": outcome.why,
        "fix": outcome.fix,
        "seconds": round(outcome.seconds, 3),
        "checks": [{**asdict(check), "status": check.status.value} for check in outcome.checks],
        "artefacts": [_artefact(item, outcome.calls) for item in outcome.artefacts],
        "calls": [asdict(replace(call, seconds=round(call.seconds, 4))) for call in outcome.calls],
        "tree": {"sha256": run.tree.sha256, "revision": run.tree.revision, "dirty": run.tree.dirty},
        "image": {
            "name": run.image.name,
            "tag": run.image.tag,
            "id": run.image.image_id,
            "inventory_sha256": run.image.inventory_sha256,
            "tools": run.image.inventory.get("tools", {}),
            "base_route": run.image.base_route,
            "base_digest": run.image.base_digest,
            "vendor_route": run.image.vendor_route,
            "route_note": run.image.route_note,
            "emulation": run.image.emulation,
        },
        "packages": {kind: run.image.inventory.get(kind, {}) for kind in ("dpkg", "pip")},
    }


def _artefact(artefact: Artefact, calls: Sequence[ToolCall]) -> dict[str, Any]:
    evidence = [{"depth": item.depth.name, "by": item.by, "detail": item.detail} for item in artefact.evidence]
    return {**asdict(artefact), "evidence": evidence, "depth": deepest(artefact).name, "calls": recipe(artefact, calls)}


def deepest(artefact: Artefact) -> Depth:
    """Return the greatest depth that an artefact's evidence shows."""
    return max((item.depth for item in artefact.evidence), default=Depth.compiled)
