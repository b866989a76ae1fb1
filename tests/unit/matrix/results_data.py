"""Manifests of cells that have run, made without a run."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.unit.matrix.fake_engine import prepared
from tvm.matrix import manifest
from tvm.matrix.manifest import Run
from tvm.matrix.model import Depth
from tvm.matrix.outcome import Artefact, CellOutcome, CheckOutcome, Evidence, Status
from tvm.matrix.results import Results
from tvm.matrix.tree import Tree
from tvm.support.record import FileDigest, ToolCall, ToolIdentity

TREE = Tree(root=Path("/src"), names=("a",), sha256="a" * 64, revision="b" * 40, dirty=False)
OTHER_TREE = Tree(root=Path("/src"), names=("a",), sha256="c" * 64, revision="", dirty=True)


def an_artefact(
    name: str = "lib.so", *, arch: str = "x86_64", depth: Depth = Depth.executed, by: str = "qemu"
) -> Artefact:
    """Return an artefact with one piece of evidence; its sha256 is its name's length in every digit."""
    return Artefact(
        name=name,
        path=f"artefacts/{name}",
        sha256=f"{len(name) % 10}" * 64,
        size=len(name),
        target="llvm",
        arch=arch,
        check="cc",
        test="check_cc.py::test",
        evidence=(Evidence(depth=depth, by=by, detail="seen"),),
    )


def a_call(argv: str, inputs: Sequence[str], outputs: Sequence[str]) -> ToolCall:
    """Return a tool call; a file is named by its digest."""

    def digests(names: Sequence[str]) -> tuple[FileDigest, ...]:
        return tuple(FileDigest(path=f"{name}.file", sha256=name) for name in names)

    return ToolCall(
        kind="process",
        argv=tuple(argv.split()),
        tool=ToolIdentity(path="/usr/bin/cc", version="14.2", sha256="f" * 64),
        cwd="/src",
        seconds=0.123456,
        exit=0,
        inputs=digests(inputs),
        outputs=digests(outputs),
    )


def an_outcome(
    cell: str = "first",
    *,
    status: Status = Status.PASSED,
    artefacts: Sequence[Artefact] = (),
    calls: Sequence[ToolCall] = (),
    why: str = "",
) -> CellOutcome:
    """Return the outcome of a cell with one check of two tests."""
    failures = 0 if status is Status.PASSED else 1
    check = CheckOutcome(name="cc", status=status, tests=2, failures=failures, seconds=1.5, why=why)
    return CellOutcome(
        cell=cell,
        status=status,
        checks=(check,),
        artefacts=tuple(artefacts),
        calls=tuple(calls),
        seconds=2.34567,
        why=why,
        environment={"TZ": "UTC"},
    )


def a_run(*, tree: Tree = TREE, finished: str = "2026-01-01T00:00:02Z") -> Run:
    """Return what a manifest says beside the outcome."""
    return Run(
        run_id="1-2.a",
        engine="docker 28",
        builder="docker",
        tree=tree,
        image=prepared("first"),
        started="2026-01-01T00:00:00Z",
        finished=finished,
        declared={"x86_64": "executed"},
    )


def keep(results: Results, outcome: CellOutcome, run: Run | None = None) -> dict[str, Any]:
    """Write the manifest of a cell to where a run would leave it, and return it."""
    place = results.good if outcome.status is Status.PASSED else results.failed
    folder = place(outcome.cell)
    folder.mkdir(parents=True, exist_ok=True)
    data = manifest.statement(outcome, run or a_run())
    (folder / "manifest.json").write_text(manifest.to_json(data), encoding="utf-8")
    return manifest.read(folder / "manifest.json")
