"""What a run will do, as values: cells, checks, probes, commands and limits. Asks no engine and no network."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tvm.error import ConfigError
from tvm.matrix import tools
from tvm.matrix._suggest import suggest
from tvm.matrix.model import Depth, Image, Project

ALL = "all"
# What a box takes beside its checks: unpacking the tree, probes, packing the results. Seconds.
_BESIDE = 300
OUT = "out"


@dataclass(frozen=True, kw_only=True)
class Probe:
    """How a tool is asked for its version before a check, and the specifier that the answer must meet."""

    tool: str
    argv: tuple[str, ...]
    specifier: str


@dataclass(frozen=True, kw_only=True)
class PlannedCheck:
    """One pytest file: its path in the tree, the command, and the tools it needs."""

    name: str
    file: str
    command: tuple[str, ...]
    probes: tuple[Probe, ...]


@dataclass(frozen=True, kw_only=True)
class PlannedCell:
    """One cell: `timeout` is seconds for one check, `limit` seconds for the whole box; archs and checks in file order."""

    name: str
    image: str
    backend: str | None
    archs: Mapping[str, Depth]
    checks: tuple[PlannedCheck, ...]
    tags: tuple[str, ...]
    ci: bool
    repro: bool
    timeout: int
    limit: int
    host: str = ""  # a docker context or an address, by `engines`


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The cells that a run takes, in order."""

    project: Project
    cells: tuple[PlannedCell, ...]


def plan(project: Project, names: Sequence[str], *, tags: Sequence[str] = ()) -> Plan:
    """Plan the named cells in the order given ("all": every cell), or those with one of `tags`; with both, what is in both."""
    if not project.matrix.cells:
        msg = "matrix.yaml has no cells"
        raise ConfigError(msg, fix="write one: python -m tvm.matrix new NAME")
    chosen = _named(project, names or [ALL])
    _refuse_unknown("tag", tags, {tag for cell in project.matrix.cells.values() for tag in cell.tags})
    if not names and not tags:
        msg = "no cell is named"
        raise ConfigError(msg, fix=f"name one or more of {', '.join(project.matrix.cells)}, or {ALL}")
    wanted = set(tags)
    kept = [name for name in chosen if not wanted or wanted & set(project.matrix.cells[name].tags)]
    if not kept:
        msg = f"none of the named cells has one of the tags {', '.join(tags)}"
        raise ConfigError(msg)
    return Plan(project=project, cells=tuple(_cell(project, name) for name in kept))


def _named(project: Project, names: Sequence[str]) -> list[str]:
    known = project.matrix.cells
    _refuse_unknown("cell", [name for name in names if name != ALL], known)
    every = [cell for name in names for cell in (known if name == ALL else [name])]
    return list(dict.fromkeys(every))


def _refuse_unknown(kind: str, words: Sequence[str], known: Mapping[str, object] | set[str]) -> None:
    for word in words:
        if word not in known:
            msg = f"no {kind} {word!r} in matrix.yaml{suggest(word, known)}"
            raise ConfigError(msg)


def _cell(project: Project, name: str) -> PlannedCell:
    cell = project.matrix.cells[name]
    image = project.matrix.images[cell.image]
    checks = tuple(_check(project, image, check, needs) for check, needs in cell.checks.items())
    return PlannedCell(
        name=name,
        image=cell.image,
        backend=cell.backend,
        archs={arch: Depth[depth] for arch, depth in cell.archs.items()},
        checks=checks,
        tags=tuple(cell.tags),
        ci=cell.ci,
        repro=cell.repro,
        timeout=cell.timeout,
        limit=cell.timeout * len(checks) + _BESIDE,
        host=project.matrix.engines.get(name, ""),
    )


def _check(project: Project, image: Image, name: str, needs: Sequence[str]) -> PlannedCheck:
    probes = tuple(Probe(tool=need, argv=tools.probe_argv(need), specifier=image.tools[need]) for need in needs)
    return PlannedCheck(name=name, file=project.check_file(name), command=check_command(name), probes=probes)


def check_command(name: str) -> tuple[str, ...]:
    """Return the command of one check: relative paths only, so that it is the same in every box and folder."""
    options = ("-c", "tests/matrix/pytest.ini", "--rootdir", ".")
    return (
        "python",
        "-m",
        "pytest",
        *options,
        f"tests/matrix/check_{name}.py",
        "--junitxml",
        f"{OUT}/check_{name}.xml",
    )


def box_command(limit: int) -> tuple[str, ...]:
    """Return the main process of a box: it ends by itself after `limit` seconds, whatever became of the runner."""
    return ("timeout", "-k", "5", str(limit), "sleep", "infinity")


def box_environment(cell: PlannedCell, source: str, *, home: str = "/home/tvm", tmpdir: str = "/tmp") -> dict[str, str]:  # noqa: S108 - the box's own /tmp
    """Return the environment of everything that runs in a cell's box; `source` is the folder that holds the tree.

    PATH is the image's own: its Dockerfile puts /opt/venv/bin first.
    """
    return {
        "HOME": home,
        "LANG": "C.UTF-8",
        "PYTHONPATH": source,
        "TMPDIR": tmpdir,
        # A cell shows what the tools make.
        "TVM_COMPILE_CACHE": "off",
        "TVM_MATRIX_ARCHS": ",".join(cell.archs),
        "TVM_MATRIX_CELL": cell.name,
        "TVM_MATRIX_OUT": OUT,
        "TZ": "UTC",
    }


def check_environment(check: str, source: str) -> dict[str, str]:
    """Return what one check has beside the box's environment: where its tool calls are recorded."""
    return {"TVM_MATRIX_RECORD": f"{source}/{OUT}/calls-{check}.jsonl"}
