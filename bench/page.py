"""The page of fifteen cells: its size, and how long Chromium takes from the request to the end of the first drawing."""

import itertools
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.e2e import browser
from tvm.error import ConfigError, TVMError
from tvm.matrix import loader, manifest, report
from tvm.matrix.model import Project
from tvm.matrix.results import Results

ROOT = Path(__file__).resolve().parents[1]
CELLS, RUNS = 15, 5
# Bytes, and seconds.
SIZE, DRAWN = 1_000_000, 0.3
_WHEN_DRAWN = "onload = () => requestAnimationFrame(() => setTimeout(() => { window.drawn = performance.now(); }))"


def main() -> int:
    """Print size and time; 1 if a bound is missed."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        page = _page(Path(folder))
        size = page.stat().st_size
        with browser.opened(Path(folder) / "profile") as tab:
            tab.ask("Page.addScriptToEvaluateOnNewDocument", source=_WHEN_DRAWN)
            seconds = min(_drawn(tab, page) for _ in range(RUNS))
    print(
        f"page of {CELLS} cells: {size / 1000:.0f} kB, limit {SIZE / 1000:.0f} kB; drawn in {seconds:.3f} s, limit {DRAWN} s"
    )
    return 0 if size < SIZE and seconds < DRAWN else 1


def _drawn(tab: browser.Tab, page: Path) -> float:
    tab.open(page)
    tab.wait_for("window.drawn > 0")
    return float(tab.evaluate("drawn")) / 1000


def _page(folder: Path) -> Path:
    """Write the page of a matrix whose cells are the results that are here, in turn, the largest first."""
    project = loader.load(ROOT)
    found = [path for path in Results(folder=project.build).cells() if not path.suffix]
    if not found:
        msg = "no cell has run"
        raise ConfigError(msg, fix="run nox -t ci")
    found.sort(key=lambda path: -(path / "manifest.json").stat().st_size)
    names = [f"cell-{number}" for number in range(CELLS)]
    data: dict[str, Any] = {}
    for name, source in zip(names, itertools.cycle(found), strict=False):
        data = manifest.read(source / "manifest.json")
        _copy(source, folder / "build" / "matrix" / name, name, data)
    cell = next(iter(project.matrix.cells.values()))
    matrix = project.matrix.model_copy(update={"cells": dict.fromkeys(names, cell)})
    report.write(Project(root=folder, matrix=matrix), manifest.own(data)["tree"]["sha256"])
    print(f"{CELLS} cells out of the results of {len(found)}: {', '.join(path.name for path in found)}")
    return folder / "build" / "matrix" / "index.html"


def _copy(source: Path, target: Path, name: str, data: dict[str, Any]) -> None:
    shutil.copytree(source, target)
    data["predicate"]["buildDefinition"]["externalParameters"]["cell"] = name
    (target / "manifest.json").write_text(manifest.to_json(data), encoding="utf-8")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except TVMError as error:
        sys.exit(str(error))
