"""Build a user's own sources with the toolchain of a cell."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tvm.error import CellFailedError, CompileError, ConfigError, SourceError, StorageError
from tvm.matrix import ends, includes, tree
from tvm.matrix.boxed import PLAIN, environment_of, opened, prepare, ready
from tvm.matrix.engine import Box
from tvm.matrix.plan import Plan, PlannedCell
from tvm.matrix.results import storage
from tvm.matrix.session import Session, swept
from tvm.support import archive, record

_LIMIT = 600.0
# Where the user's files lie in the box, below the source folder; a relative name that never begins with a dash.
_FOLDER = "user"
_PRODUCT = "/out/build"


@dataclass(frozen=True, kw_only=True)
class Request:
    """What is to be built: sources, folders for -I, further options, the output, and the arch (None: the cell's first)."""

    sources: tuple[Path, ...]
    folders: tuple[Path, ...]
    output: Path
    arch: str | None = None
    options: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Built:
    """What was built: the file, by which cell, for which arch, size in bytes and sha256."""

    path: Path
    cell: str
    arch: str
    size: int
    sha256: str


def output_of(request: Request, cell: str, cells: Sequence[str]) -> Path:
    """Return where a cell's product goes: OUT itself for one cell, OUT's folder/CELL/NAME for several."""
    return request.output if len(cells) == 1 else request.output.parent / cell / request.output.name


def check(request: Request) -> None:
    """Refuse what cannot be built before an engine is asked for anything."""
    for path in request.sources:
        _require_utf8(path)
        if not path.is_file():
            msg = f"{os.fspath(path)!r}: no such source file"
            raise SourceError(msg, fix="give the path of a file", looked=[str(path.absolute())])
    for folder in request.folders:
        _require_utf8(folder)
        if not folder.is_dir():
            msg = f"-I {os.fspath(folder)!r}: no such folder"
            raise SourceError(msg, fix="give the path of a folder", looked=[str(folder.absolute())])
    _require_utf8(request.output)
    _require_plain(request.output)
    if request.output.exists() and any(request.output.samefile(path) for path in request.sources):
        msg = f"{request.output}: the output is a source"
        raise StorageError(msg, fix="give another output")


def require_builders(chosen: Plan) -> None:
    """Refuse a cell that builds no sources of users, before its image is built for nothing."""
    # They load every wrapper, which takes longer than all else that `run` loads of this module.
    from tvm.matrix.builders.__main__ import KINDS  # noqa: PLC0415 - see above

    for cell in chosen.cells:
        if cell.image not in KINDS:
            able = [name for name, one in chosen.project.matrix.cells.items() if one.image in KINDS]
            msg = f"cell {cell.name} builds no sources: tvm/matrix/builders has nothing for the image {cell.image}"
            raise ConfigError(msg, fix=f"take one of: {', '.join(able)}")


def build_all(session: Session, chosen: Plan, request: Request) -> list[Built]:
    """Build in each cell of a plan. Whatever ends it, no box of the run stays."""
    names = [cell.name for cell in chosen.cells]
    jobs = [(cell, _arch(cell, request.arch), output_of(request, cell.name, names)) for cell in chosen.cells]
    for _, _, target in jobs:
        _require_plain(target)
    with swept(session):
        return [build(session.of(cell.name), cell, arch, request, target) for cell, arch, target in jobs]


def build(session: Session, cell: PlannedCell, arch: str, request: Request, target: Path) -> Built:
    """Build in a box of the cell's image, and put the product at `target` when it is whole."""
    session.listener.started(cell.name)
    layout = _layout(request)
    image = prepare(session, cell)
    with opened(session, cell, image) as box:
        ready(box, _stream(session, layout), environment_of(cell))
        _compile(box, cell, arch, request, layout, target.name)
        _take(box, target)
    return Built(path=target, cell=cell.name, arch=arch, size=target.stat().st_size, sha256=record.digest(target))


def _arch(cell: PlannedCell, wanted: str | None) -> str:
    arch = wanted or next(iter(cell.archs), "")
    if arch not in cell.archs:
        msg = f"cell {cell.name} has no arch {arch!r}" if arch else f"cell {cell.name} has no arch to build for"
        raise ConfigError(
            msg, fix=f"one of: {', '.join(cell.archs)}" if cell.archs else "name one in its `archs` in matrix.yaml"
        )
    return arch


def _layout(request: Request) -> dict[Path, str]:
    """Return each file or folder on this machine with its place in the box; places keep the files' positions to each other."""
    sources = [Path(os.path.abspath(path)) for path in request.sources]  # noqa: PTH100 - links keep their names
    folders = [Path(os.path.abspath(path)) for path in request.folders]  # noqa: PTH100
    files = set(includes.reachable(sources, folders))
    for folder in folders:
        files |= {path for path in folder.rglob("*") if path.is_file()}
    paths = sorted({Path(os.path.normpath(path)) for path in files} | set(folders))
    common = Path(os.path.commonpath([*(path.parent for path in paths), *folders]))
    for path in paths:
        _require_utf8(path)
    return {path: f"{_FOLDER}/{path.relative_to(common).as_posix()}" for path in paths}


def _stream(session: Session, layout: dict[Path, str]) -> Iterator[bytes]:
    """Yield the library of the tree and the user's files as one tar."""
    library = [name for name in session.tree.names if name.startswith(("tvm/", "backends/"))]
    extra = {place: path for path, place in layout.items() if path.is_file()}
    folders = [place for path, place in layout.items() if path.is_dir()]
    return tree.stream_files(session.project.root, library, extra=extra, folders=folders, user=PLAIN.user)


def _compile(box: Box, cell: PlannedCell, arch: str, request: Request, layout: dict[Path, str], product: str) -> None:
    place = {os.fspath(path): name for path, name in layout.items()}
    sources = [place[os.path.abspath(path)] for path in request.sources]  # noqa: PTH100
    folders = [place[os.path.abspath(path)] for path in request.folders]  # noqa: PTH100
    argv = ["python", "-m", "tvm.matrix.builders", cell.image, "--arch", arch, "-o", f"{_PRODUCT}/{product}"]
    argv += [word for folder in folders for word in ("-I", folder)]
    argv += [f"--option={option}" for option in request.options]
    made = box.run(["mkdir", "-p", _PRODUCT], timeout=_LIMIT)
    done = box.run([*argv, "--", *sources], timeout=_LIMIT) if made.code == 0 else made
    if done.code != 0:
        heading = f"build ended after its limit of {_LIMIT:g} s" if done.code == ends.OVERRUN else "build failed"
        raise CompileError(heading, command=done.argv, code=done.code, output=done.output.strip())


def _take(box: Box, target: Path) -> None:
    with storage(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        with (
            tempfile.TemporaryFile() as stream,
            tempfile.TemporaryDirectory(dir=target.parent, prefix=".tvm-") as scratch,
        ):
            box.get(f"{_PRODUCT}/{target.name}", stream)
            stream.seek(0)
            archive.unpack(stream, Path(scratch))
            product = Path(scratch, target.name)
            if not product.is_file():
                msg = f"the build made no single file {target.name}"
                raise CellFailedError(msg, fix="give an output with another suffix")
            _require_plain(target)
            product.replace(target)


def _require_plain(path: Path) -> None:
    if path.is_symlink() or (path.exists() and not path.is_file()):
        kind = "a link" if path.is_symlink() else "not a file"
        msg = f"{path}: the output is {kind}"
        raise StorageError(msg, fix="remove it, or give another output")


def _require_utf8(path: Path) -> None:
    try:
        os.fspath(path).encode()
    except UnicodeEncodeError:
        msg = f"{os.fsencode(path)!r}: the name is not UTF-8, and an engine takes no other"
        raise SourceError(msg, fix="rename the file") from None
