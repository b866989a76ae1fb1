"""What a run on this machine's own tools does, line by line. Only programs of this machine are asked for their versions."""

import shlex
from collections.abc import Iterator
from pathlib import Path

from tvm.matrix import tools
from tvm.matrix.engine import BoxOptions, local, venv
from tvm.matrix.engine.local_box import PREFIX, places, real
from tvm.matrix.engine.venv import Planned
from tvm.matrix.model import Project
from tvm.matrix.plan import Plan, PlannedCell, PlannedCheck, box_environment, check_environment
from tvm.support.utils import search_path

# Stands for the private folder, whose name is not known before it is made.
_BOX = Path("BOX")
_SOURCE = BoxOptions.source


def explain(plan: Plan) -> str:
    """Return what a run of `plan` by `--engine local` does; the same machine gives the same text."""
    images = dict.fromkeys(cell.image for cell in plan.cells)
    parts = [*(_image(plan.project, image) for image in images), *(_cell(plan.project, cell) for cell in plan.cells)]
    return "\n".join(line for part in parts for line in part) + "\n"


def _image(project: Project, image: str) -> Iterator[str]:
    planned = venv.planned(project, image)
    yield f"image {image}: no container; {local.SENTENCE}"
    yield f"  venv {planned.venv.folder}"
    if planned.venv.whole:
        yield "    is there, and is used as it is"
    else:
        yield f"    run {shlex.join(planned.creation)}"
        yield from (f"    run {shlex.join(planned.installation(name))}" for name in planned.locks)
    yield from (f"  PATH {folder}" for folder in _path(project, image, planned))
    for tool, specifier in sorted(project.matrix.images[image].tools.items()):
        yield f"  tool {tool} {tools.local_specifier(tool) or specifier}: {shlex.join(tools.probe_argv(tool))}"


def _path(project: Project, image: str, planned: Planned) -> list[str]:
    """Return where programs are looked for, the folders inside wheels only once the wheels are there."""
    if planned.venv.whole:
        return local.search_folders(project, image, planned.venv)
    return [planned.venv.programs, "the folders of its wheels that hold tools of the image", *search_path()]


def _cell(project: Project, cell: PlannedCell) -> Iterator[str]:
    yield f"cell {cell.name}"
    yield f"  image {cell.image}; results in {project.build / f'{cell.name}@{local.NAME}'}"
    for arch, depth in cell.archs.items():
        yield f"  arch {arch} must be {depth.name}"
    environment = box_environment(cell, _SOURCE)
    known = places(_BOX, _SOURCE, environment)
    yield f"  {_BOX}: a private folder {PREFIX}* below TMPDIR; programs start in {_BOX}/src and get these variables and PATH"
    for name, value in environment.items():
        yield f"  environment {name}={real(value, known)}"
    for check in cell.checks:
        yield from _check(check, cell.timeout, known)


def _check(check: PlannedCheck, timeout: int, known: dict[str, Path]) -> Iterator[str]:
    yield f"  check {check.name}, at most {timeout} s; unavailable where one of its probes is not met"
    for probe in check.probes:
        yield f"    probe {probe.tool} {tools.local_specifier(probe.tool) or probe.specifier}: {shlex.join(probe.argv)}"
    for name, value in check_environment(check.name, _SOURCE).items():
        yield f"    environment {name}={real(value, known)}"
    yield f"    run {shlex.join([real(word, known) for word in check.command])}"
