"""What warm cells take beside their tools: the last runs' seconds against those of the tool calls in their manifests.

The base of a cell is what nothing can save: the seconds of its process and library calls as recorded, and one bare pytest of an empty
file per check, measured now in a box of the same image. Run the cells first, on a machine that does nothing else.
"""

import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from _ratio import report
from rich.console import Console

from tvm.error import ConfigError, TVMError
from tvm.matrix import loader, manifest, plan, runner, table
from tvm.matrix.engine import discover
from tvm.matrix.engine.docker import DockerEngine
from tvm.matrix.plan import PlannedCell

ROOT = Path(__file__).resolve().parents[1]
MAIN_CELLS = ("cuda-12", "rocm", "ndk", "wasm")
RUNS = 3
# What the four cells of the README's main line may take over their base, all together.
LIMIT = 1.25
_EMPTY = "/tmp/test_empty.py"  # noqa: S108 - inside a box
_PYTEST = ("python", "-m", "pytest", "-p", "no:cacheprovider", _EMPTY)


def main(names: Sequence[str]) -> int:
    """Print the ratio of each cell and of all together; 1 if that of all misses the bound."""
    project = loader.load(ROOT)
    session = runner.new_session(project, DockerEngine(discover.find()), table.Lines(console=Console(width=200)))
    taken = base = 0.0
    for cell in plan.plan(project, names or MAIN_CELLS).cells:
        own = _last_run(session, cell)
        calls = sum(call["seconds"] for call in own["calls"])
        bare = _bare_pytest(session, cell) * len(cell.checks)
        print(
            f"{cell.name}: {own['seconds']:.1f} s, {own['seconds'] / (calls + bare):.2f} x its base ({calls:.1f} + {bare:.1f} s)"
        )
        taken, base = taken + own["seconds"], base + calls + bare
    return 0 if report("the cells together", taken, against="their base", base=base, limit=LIMIT * base) else 1


def _last_run(session: runner.Session, cell: PlannedCell) -> Mapping[str, Any]:
    path = session.results.good(cell.name) / "manifest.json"
    if not path.is_file():
        msg = f"{path}: {cell.name} has not run"
        raise ConfigError(msg, fix=f"nox -s {cell.name}")
    return manifest.own(manifest.read(path))


def _bare_pytest(session: runner.Session, cell: PlannedCell) -> float:
    """Return the median seconds of pytest over a file without tests, in a box of the cell's image."""
    with runner.swept(session), runner.opened(session, cell, runner.prepare(session, cell)) as box:
        runner.ready(box, [bytes(1024)], runner.environment_of(cell))
        box.run(["touch", _EMPTY], timeout=10)
        return statistics.median(_seconds(lambda: box.run(_PYTEST, timeout=60)) for _ in range(RUNS))


def _seconds(run: Callable[[], object]) -> float:
    begun = time.monotonic()
    run()
    return time.monotonic() - begun


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except TVMError as error:
        sys.exit(f"bench: error: {error}")
