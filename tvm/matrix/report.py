"""All results in one place: report.json and junit.xml, rewritten under a lock after each cell, and the table of cells."""

import io
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from junitparser import JUnitXml

from tvm.matrix import collect, manifest
from tvm.matrix.results import Results, write_atomic


@dataclass(frozen=True, kw_only=True)
class Entry:
    """The last result of one cell: `current` is false where it is of another tree."""

    cell: str
    folder: Path
    current: bool
    data: dict[str, Any]

    @property
    def own(self) -> dict[str, Any]:
        """The part of the manifest that is ours."""
        return manifest.own(self.data)

    @property
    def place(self) -> str:
        """The name of its folder when it is good: CELL, or CELL@local."""
        return self.folder.name.removesuffix(".failed")

    @property
    def status(self) -> str:
        """The cell's status, or from which revision the result is."""
        return str(self.own["status"]) if self.current else f"from {self.revision}"

    @property
    def revision(self) -> str:
        """The short revision of the tree that the result is of, with "+" where that tree was not committed."""
        tree = self.own["tree"]
        revision = str(tree["revision"] or tree["sha256"])[:12]
        return f"{revision}+" if tree["dirty"] else revision


def entries(results: Results, tree_sha256: str) -> list[Entry]:
    """Return the newest result of each cell, sorted by name: a failure of this tree hides an older success.

    What this machine's own tools gave stands beside what an image gave.
    """
    newest = dict[str, Entry]()
    for folder in results.cells():
        data = manifest.read(folder / "manifest.json")
        cell = str(data["predicate"]["buildDefinition"]["externalParameters"]["cell"])
        current = manifest.own(data)["tree"]["sha256"] == tree_sha256
        entry = Entry(cell=cell, folder=folder, current=current, data=data)
        if entry.place not in newest or _finished(entry) >= _finished(newest[entry.place]):
            newest[entry.place] = entry
    return [newest[place] for place in sorted(newest)]


def write(results: Results, tree_sha256: str) -> list[Entry]:
    """Rewrite report.json and junit.xml from all manifests and return the entries."""
    with results.locked():
        found = entries(results, tree_sha256)
        write_atomic(results.folder / "report.json", manifest.to_json(_summary(found, tree_sha256)))
        write_atomic(results.folder / "junit.xml", _junit(found))
    return found


def repro_proof(results: Results, entry: Entry) -> dict[str, Any]:
    """Return what the cell's last repro has shown of the same tree, or an empty dict."""
    path = results.repro(entry.place) / "repro.json"
    if not path.is_file():
        return {}
    proof = manifest.load_json(path)
    return proof if proof.get("tree_sha256") == entry.own["tree"]["sha256"] else {}


def _finished(entry: Entry) -> str:
    return str(entry.data["predicate"]["runDetails"]["metadata"]["finishedOn"])


def _summary(found: Iterable[Entry], tree_sha256: str) -> dict[str, Any]:
    return {"schema": 1, "tree_sha256": tree_sha256, "cells": [_cell(entry) for entry in found]}


def _cell(entry: Entry) -> dict[str, Any]:
    own = entry.own
    return {
        "cell": entry.cell,
        "status": own["status"],
        "current": entry.current,
        "revision": entry.revision,
        "finished": _finished(entry),
        "folder": entry.folder.name,
        "seconds": own["seconds"],
        "why": own["why"],
        "fix": own["fix"],
        "image": own["image"],
        "checks": own["checks"],
        "artefacts": own["artefacts"],
    }


def _junit(found: Iterable[Entry]) -> str:
    merged = JUnitXml("tvm-matrix")
    for entry in found:
        for path in sorted((entry.folder / "logs").glob("check_*.xml")):
            for suite in collect.suites(path):
                suite.name = f"{entry.place}.{path.stem}"
                merged.add_testsuite(suite)
    with io.BytesIO() as sink:
        merged.write(sink)
        return sink.getvalue().decode()
