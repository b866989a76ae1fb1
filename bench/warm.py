"""What warm cells take beside their tools: the seconds of their last runs against what nothing can save.

The base of a cell: every program that its checks start, started again by one shell in one box (bench/_replay.py); the seconds of its
library calls; and one bare pytest of an empty file per check. Run the cells first, on a machine that does nothing else.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from _ratio import report
from rich.console import Console

from tvm.error import CellFailedError, ConfigError, TVMError
from tvm.matrix import boxed, loader, manifest, plan, table, tree
from tvm.matrix.engine import Box, discover
from tvm.matrix.engine.docker import DockerEngine
from tvm.matrix.plan import PlannedCell, PlannedCheck
from tvm.matrix.session import Session, new_session, swept

ROOT = Path(__file__).resolve().parents[1]
MAIN_CELLS = ("cuda-12", "rocm", "ndk", "wasm")
RUNS = 3
# What the four cells of the README's main line may take over their base, all together.
LIMIT = 1.25
_EMPTY = "/tmp/test_empty.py"  # noqa: S108 - inside a box
_PYTEST = ("python", "-m", "pytest", "-p", "no:cacheprovider", _EMPTY)
_REPLAY = "/out/replay.jsonl"


def main(names: Sequence[str]) -> int:
    """Print the ratio of each cell and of all together; 1 if that of all misses the bound."""
    project = loader.load(ROOT)
    session = new_session(project, DockerEngine(discover.find()), table.Lines(console=Console(width=200)))
    taken = base = 0.0
    for cell in plan.plan(project, names or MAIN_CELLS).cells:
        seconds = _last_run(session, cell)["seconds"]
        parts = _base(session, cell)
        whole = sum(parts.values())
        named = ", ".join(f"{name} {value:.1f}" for name, value in parts.items())
        print(f"{cell.name}: {seconds:.1f} s, {seconds / whole:.2f} x its base of {whole:.1f} s ({named})")
        taken, base = taken + seconds, base + whole
    return 0 if report("the cells together", taken, against="their base", base=base, limit=LIMIT * base) else 1


def _last_run(session: Session, cell: PlannedCell) -> Mapping[str, Any]:
    path = session.results.good(cell.name) / "manifest.json"
    if not path.is_file():
        msg = f"{path}: {cell.name} has not run"
        raise ConfigError(msg, fix=f"nox -s {cell.name}")
    return manifest.own(manifest.read(path))


def _base(session: Session, cell: PlannedCell) -> dict[str, float]:
    """Return the seconds of what a cell cannot do without, measured in one box of its image."""
    with swept(session), boxed.opened(session, cell, boxed.prepare(session, cell)) as box:
        boxed.ready(box, tree.stream(session.tree, user=boxed.PLAIN.user), boxed.environment_of(cell))
        box.run(["touch", _EMPTY], timeout=10)
        bare = statistics.median(_seconds(lambda: box.run(_PYTEST, timeout=60)) for _ in range(RUNS))
        for check in cell.checks:
            _replay(box, cell, check)
        calls = [call for check in cell.checks for call in _lines(box, _calls(check))]
        replays = _lines(box, _REPLAY)
    programs = [call["seconds"] for call in calls if call["kind"] == "process"]
    # A call that no shell repeated to the same exit code, such as one of a test's own child, counts as it was recorded.
    other = sum(programs) - sum(call["seconds"] for call in replays)
    libraries = sum(call["seconds"] for call in calls if call["kind"] == "library")
    print(
        f"{cell.name}: {len(replays)} of {len(programs)} programs replayed, {len(calls) - len(programs)} library calls"
    )
    replayed = sum(call["replayed"] for call in replays)
    return {"programs": replayed + other, "libraries": libraries, "pytest": bare * len(cell.checks)}


def _replay(box: Box, cell: PlannedCell, check: PlannedCheck) -> None:
    environment = {**plan.check_environment(check.name, boxed.PLAIN.source), "TVM_BENCH_REPLAY": _REPLAY}
    done = box.run([*check.command, "-p", "bench._replay"], timeout=2 * cell.timeout, env=environment)
    if done.code != 0:
        msg = f"{cell.name}: check {check.name} does not pass when its programs run twice:\n{done.output}"
        raise CellFailedError(msg)


def _calls(check: PlannedCheck) -> str:
    return plan.check_environment(check.name, boxed.PLAIN.source)["TVM_MATRIX_RECORD"]


def _lines(box: Box, path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in box.run(["cat", path], timeout=60).output.splitlines()]


def _seconds(run: Callable[[], object]) -> float:
    begun = time.monotonic()
    run()
    return time.monotonic() - begun


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except TVMError as error:
        sys.exit(f"bench: error: {error}")
