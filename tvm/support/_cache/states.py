"""What a product was made from: files, folders and names that were not there, and whether they are still so.

A file whose size, times and inode are as they were is taken as unchanged, unless it was younger than two seconds when it was
looked at: then its bytes are hashed at every look, because a clock may not tell two writes apart.
"""

import hashlib
import os
import stat
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

# How old a file must be for its times to stand for its bytes, in nanoseconds.
SETTLED = 2_000_000_000

Kind = Literal["file", "names", "headers", "none"]
# What a compiler may find as a header: products that are written into the same folder do not count.
_HEADERS = frozenset(
    {"", ".h", ".hh", ".hpp", ".hxx", ".h++", ".cuh", ".inl", ".inc", ".ipp", ".tcc", ".def", ".gch", ".pch"}
)


# The files that this process has looked at.
_SEEN: dict[str, "State"] = {}


@dataclass(frozen=True, kw_only=True)
class State:
    """One path: a file (digest of its bytes), a folder (of the names in it, or of those of headers), or nothing at all."""

    path: str
    kind: Kind
    stamp: tuple[int, ...] = ()
    digest: str = ""
    settled: bool = False

    def as_json(self) -> list[Any]:
        """Return it as a JSON value."""
        return [self.path, self.kind, list(self.stamp), self.digest, self.settled]

    @classmethod
    def of_json(cls, value: list[Any]) -> "State":
        """Return what `as_json` gave."""
        path, kind, stamp, digest, settled = value
        return cls(path=path, kind=kind, stamp=tuple(stamp), digest=digest, settled=settled)


def file(path: str) -> State:
    """Return the state of a file. OSError if it cannot be read."""
    return _looked_at(path, "file")


def seen(path: str) -> State:
    """Return the state of a file; one that this process has seen, and that has not changed since, is not read again."""
    known = _SEEN.get(path)
    if known is None or not known.settled or not holds(known):
        known = _SEEN[path] = file(path)
    return known


def names(path: str, *, headers: bool = False) -> State:
    """Return the state of a folder: which names (or only names that headers have) are in it; or that nothing is there."""
    try:
        return _looked_at(path, "headers" if headers else "names")
    except (FileNotFoundError, NotADirectoryError):
        return nothing(path)


def nothing(path: str) -> State:
    """Return the state of a path where nothing is."""
    return State(path=path, kind="none")


def missing(path: str) -> State:
    """Return the state of a path where nothing is, by the first of its folders that is not there: many share it."""
    gone = path
    while (parent := os.path.dirname(gone)) not in {gone, ""} and not os.path.lexists(parent):
        gone = parent
    return nothing(gone)


def any_of(path: str) -> State:
    """Return the state of a path, whatever is there. OSError for what can be neither read nor listed."""
    try:
        mode = Path(path).stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return nothing(path)
    return names(path) if stat.S_ISDIR(mode) else file(path)


def holds(state: State) -> bool:
    """Tell whether a path is as it was."""
    return _holds(*state.as_json())


def all_hold(listed: Iterable[list[Any]]) -> bool:
    """Tell whether every path is as it was; each as its `as_json` gave it. There may be hundreds, at each hit."""
    return all(_holds(*value) for value in listed)


def _holds(path: str, kind: Kind, stamp: Sequence[int], digest: str, settled: bool) -> bool:  # noqa: FBT001
    try:
        status = os.lstat(path) if kind == "none" else os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return kind == "none"
    except (OSError, ValueError):
        return False
    if kind == "none":
        return False
    if settled and stamp == [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]:
        return True
    try:
        return _digest(path, kind) == digest
    except OSError:
        return False


def again(state: State) -> State:
    """Return the state of the same path as it is now. OSError if it cannot be looked at."""
    return nothing(state.path) if state.kind == "none" else _looked_at(state.path, state.kind)


def is_older(state: State, moment: int) -> bool:
    """Tell whether a path was settled before a moment (in ns since the epoch), by its own times."""
    _, modified, changed, *_ = state.stamp or (0, 0, 0)
    return max(modified, changed) < moment - SETTLED


def digest_of(path: str) -> str:
    """Return the sha256 of a file, in hex."""
    return _digest(path, "file")


def _looked_at(path: str, kind: Kind) -> State:
    before = _stamp(Path(path).stat())
    digest = _digest(path, kind)
    stamp = _stamp(Path(path).stat())
    young = time.time_ns() - max(stamp[1:3]) < SETTLED
    return State(path=path, kind=kind, stamp=stamp, digest=digest, settled=stamp == before and not young)


def _stamp(status: os.stat_result) -> tuple[int, ...]:
    return (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def _digest(path: str, kind: Kind) -> str:
    if kind != "file":
        found = os.listdir(path)
        if kind == "headers":
            found = [name for name in found if os.path.splitext(name)[1].lower() in _HEADERS]
        listed = "\0".join(sorted(found))
        return hashlib.sha256(listed.encode(errors="surrogateescape")).hexdigest()
    # A fifo would wait for its other end.
    with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)), "rb") as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            msg = f"not a regular file: {path!r}"
            raise OSError(msg)
        sha = hashlib.sha256()
        while block := stream.read(1 << 20):
            sha.update(block)
        return sha.hexdigest()
