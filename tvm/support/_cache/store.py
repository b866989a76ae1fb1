"""The store: manifests say what a product depends on, results which files it is, blobs hold the files by their sha256.

Everything is written beside and renamed, and read with its checksum; what does not fit its checksum is removed.
"""

import hashlib
import json
import os
import stat
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from typing import Any

from tvm.error import StorageError
from tvm.support._cache import sealed, states
from tvm.support._cache.states import State
from tvm.support.utils import is_file

KINDS = ("manifests", "results", "blobs", "memos")
BUILDING = "building"
TAG = "CACHEDIR.TAG"
_TAG_TEXT = (
    "Signature: 8a477f597d28d172789f06886806bc55\n# A cache of tvm.support.cache: it may be removed at any time.\n"
)
# How many variants (other headers, another tool) one call may have.
_VARIANTS = 8
# An entry's last use is not noted again within this time, in seconds.
_RECENT = 60.0


@dataclass(frozen=True, kw_only=True)
class File:
    """One file of a product."""

    data: bytes
    executable: bool = False


@dataclass(frozen=True, kw_only=True)
class Product:
    """What a tool made: files by name, and what is known of the call (its output, the tool) as a JSON value."""

    files: Mapping[str, File]
    about: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Store:
    """An opened store."""

    root: Path
    writable: bool

    def path(self, kind: str, name: str) -> str:
        """Return where an entry lies, as text: a hit asks for three, and a Path of each would be a tenth of its time."""
        return f"{self.root}/{kind}/{name[:2]}/{name}"

    def load(self, key: str) -> Product | None:
        """Return the product of a call, if everything it was made from is as it was."""
        for entry in self.entries(key):
            if states.all_hold(entry["from"]):
                product = self.product(entry["result"])
                if product is not None:
                    return product
        return None

    def save(self, key: str, product: Product, made_from: Sequence[State]) -> list[tuple[str, str]]:
        """Keep a product and return the (kind, name) of what was written.

        OSError when it cannot be written; what was there before stays.
        """
        result = _result_name(key, made_from)
        listed: dict[str, tuple[str, int, bool]] = {
            name: (self._put_blob(key, file.data), len(file.data), file.executable)
            for name, file in product.files.items()
        }
        self.put("results", result, sealed.wrap({"files": listed, "about": dict(product.about)}), part=key)
        fresh = {"result": result, "from": [state.as_json() for state in made_from]}
        others = [entry for entry in self.entries(key) if entry["result"] != result]
        self.put("manifests", key, sealed.wrap([fresh, *others][:_VARIANTS]), part=key)
        return [("manifests", key), ("results", result), *(("blobs", listing[0]) for listing in listed.values())]

    def entries(self, key: str) -> list[dict[str, Any]]:
        """Return the variants of a call, the latest one first."""
        found = self.sealed("manifests", key)
        return found if isinstance(found, list) else []

    def product(self, result: str) -> Product | None:
        """Return a product by the name of its result, if all of it is there and undamaged."""
        found = self.sealed("results", result)
        if found is None:
            return None
        files = {}
        for name, (digest, size, executable) in found["files"].items():
            data = self.blob(digest, size)
            if data is None:
                return None
            files[name] = File(data=data, executable=executable)
        return Product(files=files, about=found["about"])

    def blob(self, digest: str, size: int) -> bytes | None:
        """Return the bytes with this digest, or None; damaged ones are removed."""
        path = self.path("blobs", digest)
        data = self._read(path)
        if data is None:
            return None
        if len(data) == size and hashlib.sha256(data).hexdigest() == digest:
            return data
        self.drop(path)
        return None

    def sealed(self, kind: str, name: str) -> Any:
        """Return the JSON value of an entry, or None; a damaged entry is removed."""
        path = self.path(kind, name)
        data = self._read(path)
        if data is None:
            return None
        try:
            return sealed.unwrap(data)
        except sealed.DamagedError:
            self.drop(path)
            return None

    def put(self, kind: str, name: str, data: bytes, *, part: str) -> None:
        """Write an entry whole or not at all. `part` is the key that the caller holds the lock of."""
        target = Path(self.path(kind, name))
        half = self.root / BUILDING / f"{part}.part"
        try:
            half.write_bytes(data)
            try:
                half.replace(target)
            except FileNotFoundError:
                target.parent.mkdir(mode=0o700, exist_ok=True)
                half.replace(target)
        finally:
            half.unlink(missing_ok=True)

    def drop(self, path: str | Path) -> None:
        """Remove an entry, if this store may be written."""
        if self.writable:
            with suppress(OSError):
                Path(path).unlink()

    def files(self, kind: str) -> Iterator[Path]:
        """Give every entry of a kind, sorted."""
        for shard in sorted((self.root / kind).glob("??")):
            yield from sorted(shard.iterdir())

    def _put_blob(self, key: str, data: bytes) -> str:
        digest = hashlib.sha256(data).hexdigest()
        if self.blob(digest, len(data)) is None:
            self.put("blobs", digest, data, part=key)
        return digest

    def _read(self, path: str) -> bytes | None:
        try:
            with FileIO(path) as stream:
                # What was used last is removed last.
                if self.writable and time.time() - os.fstat(stream.fileno()).st_mtime > _RECENT:
                    os.utime(path)
                return stream.readall()
        except OSError:
            return None


# What was opened, with the stamp of its folder: owner, mode and the names in it cannot change without another one.
_OPENED: dict[tuple[Path, bool], tuple[tuple[int, ...], Store]] = {}


def opened(root: Path, *, write: bool) -> Store:
    """Open the store at `root`; with `write` it is made if it is not there.

    StorageError where it is another user's, no folder, or cannot be made; one that cannot be written is opened for reading.
    """
    stamp, known = _stamp(root), _OPENED.get((root, write))
    if stamp and known and known[0] == stamp:
        return known[1]
    found = _open(root, write=write)
    if stamp := _stamp(root):
        _OPENED[root, write] = stamp, found
    return found


def _stamp(root: Path) -> tuple[int, ...]:
    try:
        seen = os.stat(root)
    except (OSError, ValueError):
        return ()
    reader = os.getuid() if sys.platform != "win32" else 0
    return (
        reader,
        seen.st_dev,
        seen.st_ino,
        seen.st_mode,
        seen.st_uid,
        seen.st_nlink,
        seen.st_mtime_ns,
        seen.st_ctime_ns,
    )


def _open(root: Path, *, write: bool) -> Store:
    if not is_file(root / TAG):
        _require_own(root)
        if write:
            _make(root)
    status = _status(root)
    if sys.platform != "win32":
        if status.st_uid != os.getuid():
            msg = f"the compile cache {root} belongs to another user (uid {status.st_uid})"
            raise StorageError(msg, fix="set TVM_COMPILE_CACHE_DIR to a folder of your own, or TVM_COMPILE_CACHE=off")
        if stat.S_IMODE(status.st_mode) & 0o077:
            # Nobody else may read what was compiled here, let alone put products into it.
            _closed(root)
    return Store(root=root, writable=write and os.access(root / BUILDING, os.W_OK))


def _require_own(root: Path) -> None:
    """Refuse a folder with other things in it, /tmp say: a store closes its folder to everybody else."""
    try:
        others = {path.name for path in root.iterdir()} - {*KINDS, BUILDING, TAG}
    except (OSError, ValueError):
        # Not there yet, or no folder: that is told when it is opened.
        return
    if others:
        msg = f"{root} is no compile cache: it holds {min(others)}"
        raise StorageError(msg, fix="set TVM_COMPILE_CACHE_DIR to a folder that is new, or empty")


def _make(root: Path) -> None:
    # A store on a read-only file system is still to be read; one that is not there is missed just below.
    with suppress(OSError):
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name in (*KINDS, BUILDING):
            (root / name).mkdir(mode=0o700, exist_ok=True)
        (root / TAG).write_text(_TAG_TEXT, encoding="ascii")


def _status(root: Path) -> os.stat_result:
    try:
        status = root.stat()
    except (OSError, ValueError) as error:
        msg = f"there is no compile cache at {root}: {getattr(error, 'strerror', None) or error}"
        raise StorageError(msg, fix="set TVM_COMPILE_CACHE_DIR to a folder that can be made") from error
    if not stat.S_ISDIR(status.st_mode):
        msg = f"the compile cache {root} is no folder"
        raise StorageError(msg, fix="set TVM_COMPILE_CACHE_DIR to a folder")
    return status


def _closed(root: Path) -> None:
    try:
        root.chmod(0o700)
    except OSError as error:
        msg = f"the compile cache {root} is open to others, and cannot be closed: {error.strerror}"
        raise StorageError(msg, fix=f"chmod 700 {root}") from error


def _result_name(key: str, made_from: Sequence[State]) -> str:
    said = json.dumps([key, [[state.path, state.kind, state.digest] for state in made_from]])
    return hashlib.sha256(said.encode()).hexdigest()
