"""What a cell takes beside its tools: open a box, put the tree in, take the results out, remove it; against a raw `docker run`."""

import functools
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from _ratio import median, report
from rich.console import Console

from tvm.error import TVMError
from tvm.matrix import boxed, loader, plan, table
from tvm.matrix.engine import PreparedImage, discover
from tvm.matrix.engine.docker import DockerEngine
from tvm.matrix.plan import PlannedCell
from tvm.matrix.session import Session, new_session, swept
from tvm.support import process

ROOT = Path(__file__).resolve().parents[1]
CELL = "host"
RUNS = 5
# Seconds from the creation of a cell's container to its removal, tools excluded.
LIMIT = 2.0


def main() -> int:
    """Print the ratio; 1 if the bound is missed."""
    project = loader.load(ROOT)
    (cell,) = plan.plan(project, [CELL]).cells
    connection = discover.find()
    session = new_session(project, DockerEngine(connection), table.Lines(console=Console(width=200)))
    with swept(session):
        image = boxed.prepare(session, cell)
        raw = median(functools.partial(_raw, connection.endpoint.address, image), runs=RUNS)
        own = median(functools.partial(_overhead, session, cell, image), runs=RUNS)
    against = f"docker run --rm --network none tvm-matrix/{image.name}:{image.tag} true"
    return 0 if report(f"cell {CELL} without its checks", own, against=against, base=raw, limit=LIMIT) else 1


def _overhead(session: Session, cell: PlannedCell, image: PreparedImage) -> float:
    """Return the seconds of a whole box in which no check and no probe runs."""
    with tempfile.TemporaryDirectory() as folder:
        begun = time.monotonic()
        boxed.in_box(session, replace(cell, checks=()), image, Path(folder))
        return time.monotonic() - begun


def _raw(address: str, image: PreparedImage) -> float:
    command = ["docker", "--host", address, "run", "--rm", "--network", "none", image.image_id, "true"]
    return process.run(command, heading="docker run failed", timeout=60.0).seconds


if __name__ == "__main__":
    try:
        sys.exit(main())
    except TVMError as error:
        sys.exit(f"bench: error: {error}")
