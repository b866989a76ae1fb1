"""A box without an engine: a private folder, this machine's programs, the time limits. It isolates nothing."""

import json
import os
import shutil
import tarfile
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from tvm.error import BoxGoneError, CellFailedError, EngineError, ToolNotFound, ToolTimeoutError, TVMError
from tvm.matrix.engine import BoxOptions, Output, labels, leftovers
from tvm.matrix.engine.printed import cut
from tvm.matrix.signals import held
from tvm.support import process
from tvm.support.process import Completed

# Short: a socket below it has 107 bytes for its whole name.
PREFIX = "tvm-box-"
# Who opened it, as the labels of a container say it.
MARKS = "labels.json"
_OUT = "/out"
_PUT_LIMIT = 300.0
# What a shell says of a program that is not there or is none of this system, and `timeout` of one that overran.
_NOT_THERE, _NO_PROGRAM, _OVERRUN = 127, 126, 124


class LocalBox:
    """A private folder. See the protocol Box.

    The runner names the places of a container (/src, /out, HOME, TMPDIR); each stands for a folder below the private one.
    """

    def __init__(self, options: BoxOptions, path: Sequence[str]) -> None:
        """`path` is the search path for programs."""
        # Whole or not begun: without its marks nobody would ever remove it.
        with held():
            self.folder = Path(tempfile.mkdtemp(prefix=PREFIX)).resolve()
            marks = labels.owner_labels(options.run_id, options.cell)
            (self.folder / MARKS).write_text(json.dumps(marks) + "\n", encoding="utf-8")
        self.name = str(self.folder)
        self._source = self.folder / "src"
        self._places = places(self.folder, options.source, options.env)
        for place in (self._source, *self._places.values()):
            place.mkdir(exist_ok=True)
        told = {name: self._real(value) for name, value in options.env.items()}
        self.environment: Mapping[str, str] = {**told, "PATH": os.pathsep.join(path), leftovers.VARIABLE: self.name}

    def put(self, tree: Iterable[bytes]) -> None:
        """Unpack a tar stream into the source folder."""
        packed = self.folder / "tree.tar"
        with packed.open("wb") as sink:
            sink.writelines(tree)
        done = self.run(
            ["tar", "-x", "--no-same-owner", "-f", str(packed), "-C", str(self._source)], timeout=_PUT_LIMIT
        )
        packed.unlink()
        if done.code != 0:
            msg = f"the tree cannot be unpacked in {self._source}; tar ended with {done.code}:\n{done.output}"
            raise EngineError(msg, fix="is tar installed, and is there space in TMPDIR? nox -s doctor")

    def run(
        self, argv: Sequence[str], *, timeout: float, env: Mapping[str, str] | None = None, output: Output | None = None
    ) -> Completed:
        """Run a program in the source folder; 124 means that it overran `timeout` seconds, 127 that it is not there."""
        command = [self._real(word) for word in argv]
        told = {name: self._real(value) for name, value in (env or {}).items()}
        started = time.monotonic()
        try:
            done = process.run(
                command, check=False, cwd=self._source, env={**self.environment, **told}, timeout=timeout
            )
        except ToolTimeoutError as error:
            done = _ended(error.command, _OVERRUN, error.output, started)
        except ToolNotFound as error:
            done = _ended(command, _NOT_THERE, f"{error.cause}\n", started)
        except TVMError as error:
            done = _ended(command, _NO_PROGRAM, f"{error.cause}\n", started)
        if output:
            output(done.raw)
        raw = cut(done.raw)
        return done if raw is done.raw else replace(done, raw=raw, output=raw.decode(errors="replace"))

    def get(self, path: str, sink: BinaryIO) -> None:
        """Write a tar of `path` into `sink`."""
        place = Path(self._real(path))
        if not self.folder.exists():
            msg = f"the box {self.name} is gone: a check, or somebody, has removed its folder"
            raise BoxGoneError(msg, fix="is there a check that removes what is not its own? Else run again")
        if not place.exists():
            msg = f"the box {self.name} has no {path}"
            raise CellFailedError(msg, fix="see the check's log for why it was not made")
        with tarfile.open(fileobj=sink, mode="w") as tar:
            tar.add(place, arcname=place.name)

    def close(self, *, keep: bool = False) -> None:
        """End what still runs in the box, and remove it; with `keep` the folder stays until somebody removes it."""
        if keep:
            leftovers.end(self.name)
            (self.folder / MARKS).unlink(missing_ok=True)
        else:
            remove(self.folder)

    def _real(self, text: str) -> str:
        """Return the path that a path of the container stands for; anything else, a path of this box too, as it is."""
        return text if text.startswith(self.name) else real(text, self._places)


def places(folder: Path, source: str, environment: Mapping[str, str]) -> dict[str, Path]:
    """Return the places of a container with the folders below `folder` that stand for them."""
    return {
        _OUT: folder / "src" / "out",
        source: folder / "src",
        environment["HOME"]: folder / "home",
        environment["TMPDIR"]: folder / "tmp",
    }


def real(text: str, known: Mapping[str, Path]) -> str:
    """Return the path that a path of a container stands for; anything else as it is."""
    for place, folder in known.items():
        if text == place or text.startswith(f"{place}/"):
            return f"{folder}{text.removeprefix(place)}"
    return text


def remove(folder: Path) -> None:
    """End what runs in a box, and remove its folder, whatever modes a check has left; one that is gone is no error."""
    leftovers.end(str(folder))
    for parent, names, _ in os.walk(folder):
        for name in names:
            if not (below := Path(parent, name)).is_symlink():
                below.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)


def _ended(argv: Sequence[str], code: int, output: str, started: float) -> Completed:
    seconds = time.monotonic() - started
    return Completed(argv=tuple(argv), code=code, output=output, seconds=seconds, raw=output.encode())
