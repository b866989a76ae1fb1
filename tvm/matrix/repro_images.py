"""Build images twice, the second time every step anew, and compare what they hold."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from tvm.error import DifferenceError
from tvm.matrix import boxed, diff
from tvm.matrix.plan import Plan, PlannedCell
from tvm.matrix.session import Session, each


@dataclass(frozen=True, kw_only=True)
class Same:
    """An image that two builds made alike: its name, and how many packages and tools it holds."""

    image: str
    packages: int
    tools: int


def repro_images(session: Session, chosen: Plan, tell: Callable[[Same], None]) -> None:
    """Compare two builds of each image of a plan, and `tell` of those that hold the same. The first error is raised at the end."""
    once = {cell.image: cell for cell in reversed(chosen.cells)}
    cells = tuple(cell for cell in chosen.cells if once[cell.image] is cell)

    def build(session: Session, cell: PlannedCell) -> None:
        tell(_twice(session, cell))

    each(session, replace(chosen, cells=cells), build)


def _twice(session: Session, cell: PlannedCell) -> Same:
    session.listener.started(cell.name)
    first = boxed.prepare(session, cell).inventory
    session.listener.progress(cell.name, f"second build of image {cell.image}")
    second = session.engine.rebuild(
        session.project, cell.image, lambda text: session.listener.progress(cell.name, text)
    )
    if found := diff.inventories(first, second):
        lines = "\n".join(f"  {change}" for change in found)
        msg = f"{cell.name}: two builds of image {cell.image} hold different things:\n{lines}"
        fix = f"pin what differs in images/{cell.image} (packages.txt takes NAME=VERSION); a rolling suite moves on by itself"
        raise DifferenceError(msg, fix=fix)
    return Same(image=cell.image, packages=len(second["dpkg"]) + len(second["pip"]), tools=len(second["tools"]))
