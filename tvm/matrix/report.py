"""All results in one place: index.html, report.json, coverage.json and junit.xml, rewritten under a lock after each cell."""

import io
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from junitparser import JUnitXml, Skipped, TestCase, TestSuite

from tvm.error import TVMError
from tvm.matrix import collect, coverage, manifest
from tvm.matrix.model import Project
from tvm.matrix.outcome import Status
from tvm.matrix.page.document import document
from tvm.matrix.page.view import Cell
from tvm.matrix.results import Results, place, write_atomic
from tvm.support.record import strip_credentials


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
        """The name that its results have: CELL, or CELL@local."""
        return manifest.place(self.data)

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
    """Return the result of each cell that counts, sorted by name: one of this tree goes before one of another, a failure before
    a success. No clock is asked: a success ends the failure before it, so a failure that is there is the newer one.

    What this machine's own tools gave stands beside what an image gave.
    """
    counts = dict[str, Entry]()
    for folder in results.cells():
        data = manifest.read(folder / "manifest.json")
        cell = str(data["predicate"]["buildDefinition"]["externalParameters"]["cell"])
        current = manifest.own(data)["tree"]["sha256"] == tree_sha256
        entry = Entry(cell=cell, folder=folder, current=current, data=data)
        if entry.place not in counts or _rank(results, entry) > _rank(results, counts[entry.place]):
            counts[entry.place] = entry
    return [counts[place] for place in sorted(counts)]


def _rank(results: Results, entry: Entry) -> tuple[bool, bool]:
    return (entry.current, entry.folder != results.good(entry.place))


def write(project: Project, tree_sha256: str) -> list[Entry]:
    """Rewrite the page, report.json, coverage.json and junit.xml from all manifests and return the entries."""
    results = Results(folder=project.build)
    with results.locked():
        found = entries(results, tree_sha256)
        rows = coverage.rows(project, tree_sha256)
        write_atomic(results.folder / "report.json", manifest.to_json(_summary(found, tree_sha256)))
        write_atomic(results.folder / "coverage.json", manifest.to_json(coverage.to_data(rows, tree_sha256)))
        write_atomic(results.folder / "junit.xml", _junit(found))
        write_atomic(results.folder / "index.html", document(project, rows, _shown(results, found), tree_sha256))
    return found


def previous(results: Results, entry: Entry) -> tuple[str, dict[str, Any] | None]:
    """Return the manifest of the run that a cell's result is compared with, and where it lies below the folder of results.

    That is the good run before. Where there was none it is the run before: two failures in a row say what changed between them.
    None where there is none that this version understands.
    """
    before = entry.folder / "previous.json"
    good = results.good(entry.place)
    for path in (before,) if entry.folder == good else (good / "manifest.json", before):
        with suppress(TVMError):
            return path.relative_to(results.folder).as_posix(), manifest.read(path)
    return "", None


def repro_proof(results: Results, entry: Entry) -> dict[str, Any]:
    """Return what the cell's last repro has shown of the same tree, or an empty dict."""
    path = results.repro(entry.place) / "repro.json"
    if not path.is_file():
        return {}
    proof = manifest.load_json(path)
    return proof if proof.get("tree_sha256") == entry.own["tree"]["sha256"] else {}


def _shown(results: Results, found: Sequence[Entry]) -> list[Cell]:
    return [_cell_of_page(results, entry) for entry in found]


def _cell_of_page(results: Results, entry: Entry) -> Cell:
    at, before = previous(results, entry)
    return Cell(
        name=entry.place,
        folder=entry.folder,
        current=entry.current,
        revision=entry.revision,
        data=entry.data,
        before=before,
        before_at=at,
        proof=repro_proof(results, entry),
    )


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


def last_seconds(project: Project, cells: Sequence[str]) -> dict[str, float]:
    """Return how long the last good run of each cell took, in an image or else on this machine; one without is left out."""
    results, found = Results(folder=project.build), dict[str, float]()
    for cell in cells:
        for kind in ("local", "image"):
            with suppress(TVMError):
                found[cell] = float(
                    manifest.own(manifest.read(results.good(place(cell, kind)) / "manifest.json"))["seconds"]
                )
    return found


def _not_run(entry: Entry, check: dict[str, Any]) -> TestSuite:
    """Return a suite whose one test was skipped: a check that could not run, neither passed nor failed."""
    suite = TestSuite(f"{entry.place}.check_{check['name']}")
    case = TestCase(check["name"], f"check_{check['name']}")
    case.result = [Skipped(f"unavailable: {strip_credentials(check['why'])}")]
    suite.add_testcase(case)
    return suite


def _junit(found: Iterable[Entry]) -> str:
    merged = JUnitXml("tvm-matrix")
    for entry in found:
        for path in sorted((entry.folder / "logs").glob("check_*.xml")):
            for suite in collect.suites(path):
                suite.name = f"{entry.place}.{path.stem}"
                merged.add_testsuite(suite)
        for check in entry.own["checks"]:
            if check["status"] == Status.UNAVAILABLE.value:
                merged.add_testsuite(_not_run(entry, check))
    with io.BytesIO() as sink:
        merged.write(sink)
        return sink.getvalue().decode()
