"""Each real cell is interrupted, and its runner killed, while the tool runs that took longest in its last run."""

import json
import re
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from docker.errors import APIError

from tests.e2e.engine import Containers
from tests.e2e.project import LIMIT, MATRIX, ROOT, Project
from tests.e2e.terminal import Ended, Terminal
from tvm.matrix import loader

CELLS = [name for name, cell in loader.load(ROOT / loader.FILE).matrix.cells.items() if cell.ci]
SOURCE = "int five(void) { return 5; }\n"
_POLL = 0.05
_VERSION = re.compile(r"-[0-9.]+$")


@dataclass(frozen=True, kw_only=True)
class Longest:
    """The program call that took longest in the last run of a cell: the check that made it, and the program's name."""

    check: str
    program: str


@pytest.fixture(params=CELLS)
def cell(request: pytest.FixtureRequest, real: Project) -> str:
    """Return the name of a cell whose last good result lies in the project."""
    name = str(request.param)
    result = ROOT / "build" / "matrix" / name
    assert (result / "manifest.json").is_file(), f"{result}: no result: run `nox -s {name}` first"
    shutil.copytree(result, real.results / name)
    return name


def test_ctrl_c_while_the_longest_tool_runs(cell: str, real: Project, containers: Containers) -> None:
    before = real.kept()
    ended = _ended(cell, signal.SIGINT, real, containers)
    assert ended.code == 130, ended.output
    assert "tvm-matrix: interrupted" in ended.output
    assert "Traceback" not in ended.output
    assert ended.left == []
    assert containers.left() == []
    assert real.kept() == before
    assert real.half_made() == []


def test_a_runner_that_is_killed_while_the_longest_tool_runs(cell: str, real: Project, containers: Containers) -> None:
    before = real.kept()
    ended = _ended(cell, signal.SIGKILL, real, containers)
    assert ended.code == -signal.SIGKILL, ended.output
    assert real.kept() == before

    (left,) = containers.left()
    (real.root / "five.c").write_text(SOURCE, encoding="utf-8")
    done = real.matrix("build", "--cell", "host", "-o", "five.so", "five.c")
    assert done.code == 0, done.output
    assert f"removed {left}, whose runner is gone" in done.output
    assert containers.left() == []
    assert real.kept() == before
    assert real.half_made() == []


def _ended(cell: str, number: signal.Signals, real: Project, containers: Containers) -> Ended:
    """Run the check of a cell that takes its longest call, send a signal once that tool runs, and return how it ended."""
    longest = _longest(real.results / cell)
    _leave_only(real, cell, longest.check)
    seen = threading.Event()
    terminal = Terminal(real, [*MATRIX, "run", cell])

    def watch() -> None:
        end = time.monotonic() + LIMIT
        while time.monotonic() < end and not seen.is_set():
            if any(map(longest.program.endswith, _running(cell, containers))):
                seen.set()
                terminal.send(number)
            time.sleep(_POLL)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    ended = terminal.finish(LIMIT)
    assert seen.is_set(), f"{longest.program} did not run:\n{ended.output}"
    watcher.join()
    return ended


def _longest(result: Path) -> Longest:
    calls = [
        (call["seconds"], path.stem.removeprefix("calls-"), Path(call["argv"][0]).name)
        for path in result.glob("calls-*.jsonl")
        for call in map(json.loads, path.read_text(encoding="utf-8").splitlines())
        if call["kind"] == "process"
    ]
    _, check, program = max(calls)
    return Longest(check=check, program=program)


def _leave_only(real: Project, cell: str, check: str) -> None:
    """Let a cell have one check, so that its tool is met soon."""
    path = real.root / "matrix.yaml"
    matrix = yaml.safe_load(path.read_text(encoding="utf-8"))
    checks = matrix["cells"][cell]["checks"]
    matrix["cells"][cell]["checks"] = {check: checks[check]}
    path.write_text(yaml.safe_dump(matrix, sort_keys=False), encoding="utf-8")


def _running(cell: str, containers: Containers) -> set[str]:
    """Return the names of all programs that run in the cell's box, without version and suffix.

    One that is run by an interpreter goes by its own name too. A vendor's wrapper has another name before what it becomes:
    x86_64-linux-android24-clang becomes clang-18.
    """
    words = (word for line in _lines(cell, containers) for word in line.split()[:3])
    return {_VERSION.sub("", Path(word).stem) for word in words if Path(word).stem}


def _lines(cell: str, containers: Containers) -> Iterator[str]:
    for box in containers.left():
        if box.startswith(f"tvm-matrix-{cell}-"):
            # It may be gone, or not started yet.
            with suppress(APIError):
                told = containers.client.top(box, "-eo pid,args")
                yield from (words[1] for words in told["Processes"])
