"""The names that an archive may hold, and the limits on what it may hold."""

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from tvm.error import ArchiveError

Parts = tuple[str, ...]

# What the file systems we write to take, in bytes.
_LONGEST_PART = 255
_LONGEST_NAME = 4000
# What one member may take beside its bytes: its header, a long name, padding.
_MEMBER_OVERHEAD = 4096
_ARCHIVE_OVERHEAD = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How much an archive may hold: bytes of all files together once unpacked, and members (files and folders)."""

    total: int
    members: int

    @property
    def stream(self) -> int:
        """The most bytes that an archive within these limits can have itself."""
        return self.total + self.members * _MEMBER_OVERHEAD + _ARCHIVE_OVERHEAD


@dataclass(frozen=True, kw_only=True)
class Member:
    """One checked member: the parts of its name, whether it is a folder, and for a file its mode, size and bytes in blocks."""

    parts: Parts
    folder: bool
    executable: bool = False
    size: int = 0
    blocks: Callable[[], Iterator[bytes]] = lambda: iter(())


def refuse(name: str, why: str) -> ArchiveError:
    """Return the error for a member that is not taken."""
    return ArchiveError(
        f"archive member {name!r} is refused: {why}",
        fix="make the archive of plain files and folders, by relative names",
    )


def split(name: str) -> Parts:
    """Return the parts of a member's name; the empty tuple for the archive's root. ArchiveError for a name that may leave it."""
    if "\0" in name:
        raise refuse(name, "its name holds a NUL")
    if name.startswith("/"):
        raise refuse(name, "its name is absolute")
    parts = tuple(part for part in name.split("/") if part not in {"", "."})
    if ".." in parts:
        raise refuse(name, "its name leaves the folder by '..'")
    if any(len(os.fsencode(part)) > _LONGEST_PART for part in parts) or len(os.fsencode(name)) > _LONGEST_NAME:
        raise refuse(name, "its name is longer than file systems take")
    return parts


def split_file(name: str) -> Parts:
    """Return the parts of a file's name, which must not be the root itself."""
    parts = split(name)
    if not parts or name.endswith(("/", "/.")):
        raise refuse(name, "a file needs a name")
    return parts


def executable(mode: int) -> bool:
    """Tell whether a file mode lets its owner run the file."""
    return bool(mode & stat.S_IXUSR)


def check_names(files: Iterable[Parts], folders: Iterable[Parts]) -> list[Parts]:
    """Refuse two files of one name and a file where a folder must be; return every folder, parents first."""
    seen: set[Parts] = set()
    for parts in files:
        if parts in seen:
            raise refuse("/".join(parts), "the name occurs twice")
        seen.add(parts)
    needed = {parts[:end] for parts in seen for end in range(1, len(parts))}
    needed |= {parts[:end] for parts in folders for end in range(1, len(parts) + 1)}
    if clash := seen & needed:
        raise refuse("/".join(min(clash)), "it is both a file and a folder")
    return sorted(needed)
