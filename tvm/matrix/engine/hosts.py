"""Which engine each cell runs on: several machines at once by `engines` in matrix.yaml."""

import os
from collections.abc import Iterable, Mapping

from tvm.matrix.engine import Engine, discover, distinct, select
from tvm.matrix.engine.docker import DockerEngine
from tvm.matrix.model import Project


def of_cells(project: Project, cells: Iterable[str], name: str | None) -> dict[str, Engine]:
    """Return the engine of each cell, one object for each host; `name` is what --engine says."""
    opened: dict[str, Engine] = {}
    found: dict[str, Engine] = {}
    for cell in cells:
        host = "" if overridden(name, os.environ) else project.matrix.engines.get(cell, "")
        if host not in opened:
            opened[host] = _open(host) if host else select.select(name)
        found[cell] = opened[host]
    return found


def every(project: Project, name: str | None) -> list[Engine]:
    """Return every engine that the matrix may use: the one of this machine, unless each cell has a host, and all hosts."""
    return distinct(of_cells(project, project.matrix.cells, name).values())


def overridden(name: str | None, environ: Mapping[str, str]) -> bool:
    """Say whether the user names one engine for all cells: then `engines` in matrix.yaml is passed over."""
    asked = name or environ.get(select.VARIABLE) or "auto"
    return asked != "auto" or bool(environ.get(discover.OWN_VARIABLE))


def _open(host: str) -> Engine:
    return DockerEngine(discover.connect(discover.of_host(host, os.environ)))
