"""Plans and matrices as plain text: the same matrix gives the same bytes, in any process."""

import shlex
from collections.abc import Iterator, Mapping, Sequence

from tvm.matrix import recipe, tools
from tvm.matrix.engine import BoxOptions
from tvm.matrix.model import AnyVendor, Project, Vendor, VendorIndex
from tvm.matrix.plan import Plan, PlannedCell, PlannedCheck, box_command, box_environment, check_environment

# Where the tree lies in a box, and who runs there; the second build of a repro differs.
_SOURCE = BoxOptions.source
_USER = BoxOptions.user


# Tools that run programs of other machines.
_EMULATORS = ("qemu-", "wine")


def explain(plan: Plan) -> str:
    """Return what a run of `plan` does, line by line; what only the engine can decide is named as such."""
    images = dict.fromkeys(cell.image for cell in plan.cells)
    suites = dict.fromkeys(plan.project.matrix.images[image].suite for image in images)
    parts = [
        *(_suite(plan.project, suite) for suite in suites),
        *(_image(plan.project, image) for image in images),
        *(_cell(cell) for cell in plan.cells),
    ]
    return "\n".join(line for part in parts for line in part) + "\n"


def _suite(project: Project, name: str) -> Iterator[str]:
    suite = project.matrix.suites[name]
    pinned = f"{suite.image}@{suite.digest}" if suite.image and suite.digest else ""
    yield f"suite {name}"
    yield f"  route 1: pull {pinned}" if pinned else "  route 1: pull: not pinned: refused"
    if suite.source:
        yield f"    pin read from {suite.source}"
    yield f"  route 2, where no registry answers: mmdebstrap --variant=minbase {name}"
    yield "  the route is decided when the engine is asked; it is part of the tag"
    yield f"image {recipe.BASE} on suite {name}"
    yield from _recipe(project, recipe.BASE)
    yield from _arguments(recipe.base_arguments(project, name, base=f"<suite {name}>"))


def _image(project: Project, name: str) -> Iterator[str]:
    entry = project.matrix.images[name]
    yield f"image {name} on image {recipe.BASE} of suite {entry.suite}"
    yield from _recipe(project, name)
    for tool, specifier in entry.tools.items():
        yield f"  tool {tool} {specifier}: {_line(tools.probe_argv(tool))}"
    if entry.vendor:
        yield from _vendor(entry.vendor)
    for route in recipe.vendor_routes(project, name):
        base = f"<image {recipe.BASE} of suite {entry.suite}>"
        yield f"  by vendor route {route}"
        yield from _arguments(recipe.build_arguments(project, name, base=base, vendor_route=route))


def _vendor(vendor: AnyVendor) -> Iterator[str]:
    match vendor:
        case Vendor():
            yield f"  vendor's download {vendor.url}"
            yield f"    sha256 {vendor.sha256}" if vendor.sha256 else "    not pinned: refused"
        case VendorIndex():
            yield f"  vendor's package index {vendor.index}"
            yield from (f"    package {name}=={version}" for name, version in vendor.packages.items())
            yield "    hashes in vendor/requirements.txt; without the index there is no image"
    if vendor.source:
        yield f"    pin read from {vendor.source}"
    yield "  the vendor's host is asked first, for 10 s at most; the route is part of the tag"


def _recipe(project: Project, image: str) -> Iterator[str]:
    files = recipe.recipe_files(project, image)
    yield f"  recipe images/{image}, {len(files)} files (sha256, x: may be run)"
    for file in files:
        yield f"    {file.sha256} {'x' if file.executable else '-'} {_printable(file.path)}"
    yield "  tag: sha256 over these, the entry in matrix.yaml, the probes, the base's tag and the routes"


def _arguments(arguments: Mapping[str, str]) -> Iterator[str]:
    for name, value in arguments.items():
        yield f"    build argument {name}={value}"


def _cell(cell: PlannedCell) -> Iterator[str]:
    yield f"cell {cell.name}"
    yield f"  image {cell.image}"
    yield (
        f"  engine {cell.host} (engines in matrix.yaml; not with --engine)" if cell.host else "  engine of this machine"
    )
    yield "  on an engine of another architecture than the image's: emulated and slow, each run warns"
    for arch, depth in cell.archs.items():
        yield f"  arch {arch} must be {depth.name}"
    yield f"  container: network none, user {_USER}, init, tmpfs {_SOURCE} of user {_USER}, working folder {_SOURCE}"
    yield f"  container runs {_line(box_command(cell.limit))}"
    for name, value in box_environment(cell, _SOURCE).items():
        yield f"  environment {name}={value}"
    for check in cell.checks:
        yield from _check(check, cell.timeout)


def _check(check: PlannedCheck, timeout: int) -> Iterator[str]:
    yield f"  check {check.name}, at most {timeout} s"
    for probe in check.probes:
        yield f"    probe {probe.tool} {probe.specifier}: {_line(probe.argv)}"
    if emulators := [probe.tool for probe in check.probes if probe.tool.startswith(_EMULATORS)]:
        yield f"    runs foreign programs by {', '.join(emulators)}: emulated, slow"
    for name, value in check_environment(check.name, _SOURCE).items():
        yield f"    environment {name}={value}"
    yield f"    run {_line(check.command)}"


def _line(argv: Sequence[str]) -> str:
    return shlex.join(argv)


def _printable(path: str) -> str:
    return path if path.isprintable() else ascii(path)


def list_text(project: Project) -> str:
    """Return the cells as a table: name, image, checks, archs with depth, whether CI and repro take it, tags."""
    header = ("cell", "image", "checks", "archs", "ci", "repro", "tags")
    rows = [header, *(_row(project, name) for name in project.matrix.cells)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "".join("  ".join(map(str.ljust, row, widths)).rstrip() + "\n" for row in rows)


def _row(project: Project, name: str) -> tuple[str, ...]:
    cell = project.matrix.cells[name]
    archs = " ".join(f"{arch}:{depth}" for arch, depth in cell.archs.items())
    flags = ("yes" if flag else "-" for flag in (cell.ci, cell.repro))
    return (name, cell.image, " ".join(cell.checks), archs or "-", *flags, " ".join(cell.tags) or "-")
