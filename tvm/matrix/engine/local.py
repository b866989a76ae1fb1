"""No engine: an image's pip lock in a venv, and this machine's own programs where they are what the image must hold."""

import hashlib
import json
import os
import platform
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tvm.error import EngineError, TVMError
from tvm.matrix import tools
from tvm.matrix.engine import LABEL_RUN, Box, BoxOptions, PreparedImage, Progress, labels, pythons, vendor, venv
from tvm.matrix.engine.local_box import MARKS, PREFIX, LocalBox, remove
from tvm.matrix.model import Project, VendorIndex
from tvm.matrix.results import storage
from tvm.support import process, record
from tvm.support.utils import search_path, which

NAME = "local"
SENTENCE = "local, network not isolated"
_PROBE_LIMIT = 60.0


class LocalEngine:
    """This machine. See the protocol Engine."""

    name = NAME

    def __init__(self, note: str = "") -> None:
        """`note` says why no container engine is used, where one was asked for."""
        self._note = note

    def describe(self) -> str:
        """Return one line: the system, and why it is no container engine."""
        return f"{SENTENCE}: {platform.platform()}" + (f"; {self._note}" if self._note else "")

    def prepare(self, project: Project, image: str, progress: Progress) -> PreparedImage:
        """Make the venv of an image's locks, or find it, and look which of the image's tools this machine has."""
        started = time.monotonic()
        progress("; ".join(part for part in (self._note, SENTENCE) if part))
        _require_vendor(project, image)
        made = venv.make(project, image, progress)
        path = search_folders(project, image, made)
        inventory = {
            "image": image,
            "path": path,
            "pip": made.wheels(),
            "platform": platform.platform(),
            "tools": dict(_tools(project, image, path)),
        }
        return PreparedImage(
            name=image,
            tag=made.sha256[:16],
            image_id=f"sha256:{made.sha256}",
            inventory=inventory,
            inventory_sha256=hashlib.sha256(json.dumps(inventory, sort_keys=True).encode()).hexdigest(),
            base_route="local",
            route_note=self._note,
            seconds=time.monotonic() - started,
        )

    def rebuild(self, project: Project, image: str, progress: Progress) -> Mapping[str, Any]:  # noqa: ARG002 - the protocol's
        """Raise EngineError: there is no image here that could be built."""
        msg = f"image {image} is built by a container engine; this is {self.describe()}"
        raise EngineError(msg, fix="nox -s engine finds or starts one")

    def open(self, image: PreparedImage, options: BoxOptions) -> Box:
        """Make a private folder."""
        with storage(Path(tempfile.gettempdir())):
            return LocalBox(options, image.inventory["path"])

    def reap(self) -> list[str]:
        """Remove boxes whose runner is gone, and what still runs in them."""
        return _remove(folder for folder, marks in _boxes() if labels.is_orphan(marks))

    def sweep(self, run_id: str) -> list[str]:
        """Remove every box of one run."""
        return _remove(folder for folder, marks in _boxes() if marks.get(LABEL_RUN) == run_id)


def probe(tool: str, specifier: str, path: Sequence[str]) -> tuple[str, str]:
    """Return what a tool that is found on `path` prints of its version, and why it is not what `specifier` wants, or ""."""
    environment = {"PATH": os.pathsep.join(path), "HOME": os.sep, "LANG": "C.UTF-8"}
    try:
        done = process.run(tools.probe_argv(tool), check=False, cwd=os.sep, env=environment, timeout=_PROBE_LIMIT)
    except TVMError as error:
        return "", error.cause
    return done.output, tools.check(tool, tools.local_specifier(tool) or specifier, done.output, done.code)


def _require_vendor(project: Project, image: str) -> None:
    """Raise VendorError for an image of a vendor's packages if this machine has none of its tools and does not reach their index."""
    entry = project.matrix.images[image]
    own = (tool for tool in entry.tools if tool != pythons.TOOL)
    if isinstance(entry.vendor, VendorIndex) and not any(which(tools.probe_argv(tool)[0]) for tool in own):
        vendor.require_index(image, entry.vendor)


def search_folders(project: Project, image: str, made: venv.Venv) -> list[str]:
    """Return the search path of a box: the venv, programs of its wheels that are the image's, this machine."""
    wanted = project.matrix.images[image].tools
    kept = []
    for folder in made.wheel_programs():
        held = [tool for tool in wanted if Path(folder, tools.probe_argv(tool)[0]).is_file()]
        whys = [probe(tool, wanted[tool], (folder, made.programs, *search_path()))[1] for tool in held]
        # A wheel may bring a program of another version along, which must not hide the machine's own.
        if held and not any(whys):
            kept.append(folder)
    return [made.programs, *kept, *search_path()]


def _tools(project: Project, image: str, path: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each tool of an image that this machine has in a version that counts."""
    for tool, specifier in sorted(project.matrix.images[image].tools.items()):
        printed, why = probe(tool, specifier, path)
        found = which(tools.probe_argv(tool)[0], path=os.pathsep.join(path))
        if found and not why:
            version = str(tools.parse_version(tool, printed))
            yield tool, {"path": os.path.realpath(found), "version": version, "sha256": record.digest(Path(found))}


def _boxes() -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the boxes of this user with their labels. A folder of another user, or a link, is none."""
    for folder in sorted(Path(tempfile.gettempdir()).resolve().glob(f"{PREFIX}*")):
        try:
            mine = folder.lstat().st_uid == os.geteuid() and not folder.is_symlink()
            marks = json.loads((folder / MARKS).read_text(encoding="utf-8")) if mine else None
        except (OSError, ValueError):
            continue
        if isinstance(marks, dict):
            yield folder, marks


def _remove(folders: Iterator[Path]) -> list[str]:
    removed = list(folders)
    for folder in removed:
        remove(folder)
    return [str(folder) for folder in removed]
