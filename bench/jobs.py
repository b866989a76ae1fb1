"""What `nox -j 2` saves: the main cells two at a time against one after the other, in one run of this script.

Their images must be there, so run the cells first, on a machine that does nothing else. The longest cell goes first, as it should
on a user's command line: nox takes sessions in the order given, and one that is begun last is waited for alone.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from _ratio import report

from tvm.error import ConfigError, TVMError
from tvm.matrix import loader, manifest, plan
from tvm.matrix.model import Project
from tvm.matrix.results import Results
from tvm.support import process

ROOT = Path(__file__).resolve().parents[1]
NOX = Path(sys.executable).parent / "nox"
MAIN_CELLS = ("cuda-12", "rocm", "ndk", "wasm")
# What two at a time may take of one after the other.
LIMIT = 0.7
# Seconds after which a run is given up.
_PATIENCE = 3600.0


def main(names: Sequence[str]) -> int:
    """Print the seconds of both ways and their ratio; 1 if the bound is missed."""
    project = loader.load(ROOT)
    cells = [cell.name for cell in plan.plan(project, names or MAIN_CELLS).cells]
    for cell in cells:
        _require_run(project, cell)
    serial = _seconds("-s", *cells)
    _print(project, "one after the other", cells)
    cells.sort(key=lambda cell: -_last(project, cell))
    both = _seconds("-j", "2", "-s", *cells)
    _print(project, "two at a time", cells)
    return 0 if report("-j 2", both, against="serial", base=serial, limit=LIMIT * serial) else 1


def _seconds(*arguments: str) -> float:
    """Return how long nox takes; cells that fail fail the benchmark."""
    environment = {**os.environ, "CI": "true"}
    return process.run([NOX, *arguments], heading="nox failed", cwd=ROOT, env=environment, timeout=_PATIENCE).seconds


def _require_run(project: Project, cell: str) -> None:
    if not (Results(folder=project.build).good(cell) / "manifest.json").is_file():
        msg = f"{cell} has not run, so that it is unknown whether its image is there"
        raise ConfigError(msg, fix=f"nox -s {cell}")


def _print(project: Project, how: str, cells: Sequence[str]) -> None:
    print(f"{how}: {', '.join(f'{cell} {_last(project, cell):.1f} s' for cell in cells)}", flush=True)


def _last(project: Project, cell: str) -> float:
    """Return the seconds of a cell's last run."""
    return float(manifest.own(manifest.read(Results(folder=project.build).good(cell) / "manifest.json"))["seconds"])


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except TVMError as error:
        sys.exit(f"bench: error: {error}")
