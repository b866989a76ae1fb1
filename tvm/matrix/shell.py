"""`run --shell CELL`: a shell in a box of the cell's image, with the tree put in."""

import os
import sys
from dataclasses import replace

from tvm.error import ConfigError, EngineError
from tvm.matrix import boxed, tree
from tvm.matrix.engine import Box
from tvm.matrix.engine.box import DockerBox
from tvm.matrix.plan import Plan, PlannedCell
from tvm.matrix.session import Session, swept

# A box ends by itself; this is how long one may be looked into, in seconds.
_LIMIT = 4 * 3600


def the_cell(chosen: Plan) -> PlannedCell:
    """Return the one cell that a shell is wanted in. Asked before anything is built: without a terminal there is no shell."""
    if len(chosen.cells) != 1:
        names = ", ".join(cell.name for cell in chosen.cells)
        msg = f"--shell opens one box, and {len(chosen.cells)} cells are named: {names}"
        raise ConfigError(msg, fix="name one cell")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        msg = "--shell needs a terminal: input or output is a file or a pipe"
        raise ConfigError(msg, fix="run it in a terminal; under ssh: ssh -t")
    return chosen.cells[0]


def open_shell(session: Session, cell: PlannedCell) -> None:
    """Prepare the image, put the tree into a box, and stay in its shell until that ends; then the box is gone."""
    session = session.of(cell.name)
    session.listener.started(cell.name)
    image = boxed.prepare(session, cell)
    with swept(session), boxed.opened(session, replace(cell, limit=max(cell.limit, _LIMIT)), image) as box:
        boxed.ready(box, tree.stream(session.tree, user=boxed.PLAIN.user), boxed.environment_of(cell))
        session.listener.progress(
            cell.name, f"a shell in {box.name}: no network, the tree in {boxed.PLAIN.source}; `exit` removes the box"
        )
        docker_box(box, session).shell({"TERM": os.environ.get("TERM", "dumb")})


def docker_box(box: Box, session: Session) -> DockerBox:
    """Return a box that is a container; another one has no shell of its own."""
    if not isinstance(box, DockerBox):
        msg = f"{session.engine.name} has no box to open a shell in"
        raise EngineError(msg, fix="--engine docker, or --engine podman")
    return box
