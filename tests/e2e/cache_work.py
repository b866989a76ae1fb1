"""What the tests of the compile cache run in a process of their own: builds with a tool that takes its time, and what goes wrong.

`python cache_work.py JOB FOLDER`. The tool is a script, which the cache would refuse: here it is taken for a program.
"""

import os
import random
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from tvm.error import CompileError
from tvm.support import cache, process
from tvm.support._cache import cli, programs
from tvm.support._staging import staged

SEED = 20240
KILLS = 200
CROWD = 64
INPUTS = 24
_TOOL = """\
#!/bin/sh
echo run >> {log}
head -c 100 "$2" > "$4"
sleep 0.01
cat "$2" >> "$4"
"""
_WRONG = 7


def main(job: str, folder: str) -> int:
    """Run one job in a folder and return its exit code."""
    work = _Work(Path(folder))
    jobs: dict[str, Callable[[_Work], None]] = {"soak": soak, "crowd": crowd, "full": full, "frozen": frozen}
    jobs[job](work)
    return cli.main(["verify"])


class _Work:
    """A folder with inputs, a tool, and the products."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.tool, self.log = root / "bin" / "llc", root / "log"
        self.tool.parent.mkdir(parents=True, exist_ok=True)
        self.tool.write_text(_TOOL.format(log=self.log), encoding="ascii")
        self.tool.chmod(0o755)
        for number in range(INPUTS):
            self.source(number).write_bytes(self.text(number))
        # A tool that is younger than two seconds may have been replaced while it ran: nothing of it is kept.
        time.sleep(2.1)
        os.environ["TVM_COMPILE_CACHE"] = "on"
        os.environ["TVM_COMPILE_CACHE_DIR"] = str(root / "cache")

    def source(self, number: int) -> Path:
        return self.root / f"{number}.bc"

    def text(self, number: int) -> bytes:
        return random.Random(number).randbytes(20_000)  # noqa: S311 - the same in every process

    def build(self, number: int, output: Path) -> None:
        """Build a product and compare it with what it must be."""
        source = self.source(number)
        with staged(output) as stage:
            argv: list[process.Arg] = [self.tool, "-O3", source, "-o", stage.product]
            cache.run(argv, inputs=[source], outputs=[stage.product], tool=cache.Tool.CLOSED)
        text = self.text(number)
        if output.read_bytes() != text[:100] + text:
            os._exit(_WRONG)

    def runs(self) -> int:
        return len(self.log.read_text(encoding="ascii").splitlines()) if self.log.exists() else 0


def soak(work: _Work) -> None:
    """Kill builders and their tools at random moments; afterwards every product is right and nothing is left."""
    dice = random.Random(SEED)  # noqa: S311 - the moments are the same in every run
    for _ in range(KILLS):
        child = _forked(lambda: _build_for_ever(work, dice.randrange(INPUTS)))
        time.sleep(dice.uniform(0, 0.05))
        if dice.random() < 0.5:
            for tool in _children(child):
                _kill(tool)
            time.sleep(dice.uniform(0, 0.02))
        _kill(child)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL, "a product was wrong"
    _require_no_tools(work)
    for number in range(INPUTS):
        work.build(number, work.root / f"{number}.o")
    assert not list(work.root.glob(".*.tvm")), "a stage was left"
    assert cli.main(["verify"]) == 0
    assert not list((work.root / "cache" / "building").iterdir()), "a lock or half a file was left"
    print(f"soak: {KILLS} kills, seed {SEED}: {INPUTS} products right, 0 tools, locks or half files left")


def crowd(work: _Work) -> None:
    """Build the same four products in many processes at once: each is made once."""
    start, go = os.pipe()
    children = [_forked(partial(_wait_and_build, work, start, go, number)) for number in range(CROWD)]
    os.close(start)
    os.close(go)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert codes == [0] * CROWD, codes
    assert work.runs() == 4, f"the tool ran {work.runs()} times"
    print(f"crowd: {CROWD} processes, 4 products, 4 runs of the tool")


def full(work: _Work) -> None:
    """Build on a disk that has room for a few products only."""
    _mount(work.root / "cache", "-t", "tmpfs", "-o", "size=256k,mode=700", "tmpfs")
    for number in (*range(INPUTS), *range(INPUTS)):
        work.build(number, work.root / "x.o")
    assert not list((work.root / "cache" / "building").iterdir())
    assert work.runs() >= INPUTS
    print(f"full: {2 * INPUTS} products right, {work.runs()} runs of the tool")


def frozen(work: _Work) -> None:
    """Build with a cache that cannot be written: what it holds is used."""
    work.build(0, work.root / "x.o")
    _mount(work.root / "cache", "--bind", str(work.root / "cache"))
    process.run(["mount", "-o", "remount,bind,ro", work.root / "cache"])
    for number in (0, 1, 0, 1):
        work.build(number, work.root / "x.o")
    assert work.runs() == 3, f"the tool ran {work.runs()} times"
    print("frozen: 1 product from the cache, 1 made each time")
    process.run(["umount", work.root / "cache"])


def _build_for_ever(work: _Work, first: int) -> None:
    number = first
    while True:
        with suppress(CompileError):
            work.build(number % INPUTS, work.root / f"{number % 3}.o")
        number += 1


def _wait_and_build(work: _Work, start: int, go: int, number: int) -> None:
    os.close(go)
    os.read(start, 1)
    for offset in range(4):
        work.build((number + offset) % 4, work.root / f"own-{number}.o")


def _forked(job: Callable[[], None]) -> int:
    child = os.fork()
    if child == 0:
        code = 1
        try:
            job()
            code = 0
        finally:
            os._exit(code)
    return child


def _children(process_id: int) -> list[int]:
    with suppress(OSError):
        listed = Path(f"/proc/{process_id}/task/{process_id}/children").read_text(encoding="ascii")
        return [int(child) for child in listed.split()]
    return []


def _kill(process_id: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(process_id, signal.SIGKILL)


def _require_no_tools(work: _Work) -> None:
    """Wait for tools whose builder is gone: each ends by itself."""
    end = time.monotonic() + 5
    while left := [path for path in Path("/proc").glob("[0-9]*/cmdline") if _runs(path, work.tool)]:
        assert time.monotonic() < end, f"tools are left: {left}"
        time.sleep(0.05)


def _runs(path: Path, tool: Path) -> bool:
    with suppress(OSError):
        return os.fsencode(tool) in path.read_bytes()
    return False


def _mount(folder: Path, *words: str) -> None:
    folder.mkdir(exist_ok=True)
    process.run(["mount", *words, folder])


# A script is not known to read nothing else; this one is.
vars(programs)["is_native"] = lambda _program: True

if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
