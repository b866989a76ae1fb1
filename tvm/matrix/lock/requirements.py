"""The wheels of an image: every requirements.in of its folder becomes a requirements.txt with versions and hashes, by uv."""

import os
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tvm.error import CompileError, ImageError, VendorError
from tvm.matrix import recipe
from tvm.matrix.engine import vendor
from tvm.matrix.engine.context import ca_bundle
from tvm.matrix.engine.printed import last_lines
from tvm.matrix.lock.change import Change
from tvm.matrix.model import Project, VendorIndex
from tvm.support import process

_IN = "requirements.in"
# The oldest Python that a lock is for. The lock is for every later one and every platform as well.
_PYTHON = "3.11"
# What the locks are made by, on every machine. The header would name the command line.
_OPTIONS = ("--universal", "--generate-hashes", "--python-version", _PYTHON, "--no-header", "--quiet")
_LIMIT = 1800.0
_SHOWN_LINES = 20
_PINNED = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;\\]+)", re.MULTILINE)
# What would choose other versions than the index's newest.
_DROPPED = frozenset(
    {
        "UV_BUILD_CONSTRAINT",
        "UV_CONSTRAINT",
        "UV_EXCLUDE_NEWER",
        "UV_INDEX_STRATEGY",
        "UV_OVERRIDE",
        "UV_PRERELEASE",
        "UV_PYTHON",
        "UV_RESOLUTION",
    }
)


@dataclass(frozen=True, kw_only=True)
class LockSet:
    """One set of wheels: its name, what is asked for (a file, and lines beside it), the lock, and a vendor's index if it is from one."""

    name: str
    source: Path | None
    lock: Path
    lines: tuple[str, ...] = ()
    vendor: VendorIndex | None = None


def sets(project: Project, image: str) -> Iterator[LockSet]:
    """Yield the sets of an image: one for each requirements.in of its folder, and the packages of its vendor."""
    folder = project.image_folder(image)
    entry = project.matrix.images.get(image)
    index = entry.vendor if entry and isinstance(entry.vendor, VendorIndex) else None
    own = recipe.vendor_lock(project, image)
    for file in recipe.recipe_files(project, image):
        source = file.source
        if source.name == _IN and source.is_relative_to(folder) and not (index and source.parent == own.parent):
            lock = source.with_name(recipe.LOCK)
            yield LockSet(name=_name(project, lock), source=source, lock=lock)
    if index:
        lines = tuple(f"{name}=={version}" for name, version in index.packages.items())
        more = own.with_name(_IN)
        source_or_none = more if more.is_file() else None
        yield LockSet(name=_name(project, own), source=source_or_none, lock=own, lines=lines, vendor=index)


def resolve(one: LockSet) -> str:
    """Return the text of a lock: the newest versions that fit, with the hashes of all their files.

    VendorError where a vendor's index is out of reach, ImageError with what uv says where nothing fits.
    """
    if one.vendor and (silence := vendor.unanswered(vendor.page(one.vendor))):
        raise VendorError(silence, fix=f"make {one.name} on a machine that reaches that address")
    with tempfile.TemporaryDirectory(prefix="tvm-matrix-") as folder:
        made = Path(folder, recipe.LOCK)
        command = ["uv", "pip", "compile", *_OPTIONS, "--python", sys.executable, "--output-file", str(made)]
        command += _asked(one, Path(folder, _IN))
        try:
            # uv names in its comments what it read, seen from where it runs; its settings are those of the project above.
            process.run(command, cwd=_home(one), env=_environment(), timeout=_LIMIT, fix="pip install uv")
        except CompileError as error:
            tail = last_lines(error.output, _SHOWN_LINES)
            msg = f"{one.name} cannot be made; uv says:\n{tail}"
            raise ImageError(msg, fix="correct what it is made from; is a package index reachable?") from error
        return made.read_text(encoding="utf-8")


def _asked(one: LockSet, beside: Path) -> list[str]:
    """Return what uv is to read; a vendor's packages stand in a file that is written beside, whose name is in no comment."""
    source = [one.source.name] if one.source else []
    if one.vendor is None:
        return source
    beside.write_text("".join(f"{line}\n" for line in one.lines), encoding="utf-8")
    return ["--no-annotate", "--index", one.vendor.index, str(beside), *source]


def _home(one: LockSet) -> Path:
    """Return the nearest folder of a lock that is there: the one of a first vendor's lock is not yet."""
    return next(folder for folder in one.lock.parents if folder.is_dir())


def _environment() -> dict[str, str]:
    # uv lies beside the Python that nox runs.
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
    kept = {name: value for name, value in os.environ.items() if name not in _DROPPED}
    bundle = ca_bundle(os.environ)
    certificates = {"SSL_CERT_FILE": str(bundle)} if bundle else {}
    return {**kept, **certificates, "PATH": path, "UV_PYTHON_DOWNLOADS": "never", "UV_NO_PROGRESS": "1"}


def changes(one: LockSet, text: str) -> list[Change]:
    """Return what differs between the lock on disk and its new text, by package; the same versions with other files are a change too.

    Comments alone are none.
    """
    before = one.lock.read_text(encoding="utf-8") if one.lock.is_file() else ""
    old, new = versions(before), versions(text)
    found = [
        Change(place=one.name, name=name, old=old.get(name, ""), new=new.get(name, ""))
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    ]
    if not found and _bare(before) != _bare(text):
        return [Change(place=one.name, name="(hashes or markers)", old="", new="other files of the same versions")]
    return found


def _bare(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.lstrip().startswith("#")]


def versions(text: str) -> dict[str, str]:
    """Return the version of each package in a lock; one that differs by platform has several: "2.4.6, 2.5.5"."""
    found: dict[str, list[str]] = {}
    for name, version in _PINNED.findall(text):
        found.setdefault(name, []).append(version)
    return {name: ", ".join(several) for name, several in found.items()}


def _name(project: Project, lock: Path) -> str:
    return lock.relative_to(project.root).as_posix()
