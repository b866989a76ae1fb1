"""Lists what a tar or a zip holds, as checked members whose bytes are read later. Nothing is written here."""

import io
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO

from tvm.error import ArchiveError
from tvm.support import _members
from tvm.support._members import Limits, Member

_BLOCK = 1 << 20
# The longest single piece of an archive's own tables (long names, a zip's directory) that is read into memory, in bytes.
_LONGEST_TABLE = 16 << 20
_MAGICS = {b"\x1f\x8b": "gzip", b"PK\x03\x04": "zip", b"PK\x05\x06": "zip"}
_TAR_MAGIC = (257, b"ustar")
_ZIP_ENCRYPTED = 0x1
_KINDS = {
    tarfile.LNKTYPE: "a hard link",
    tarfile.SYMTYPE: "a symbolic link",
    tarfile.CHRTYPE: "a device",
    tarfile.BLKTYPE: "a device",
    tarfile.FIFOTYPE: "a fifo",
}
# What the readers of the standard library raise on broken input beside their own errors.
_BROKEN = (EOFError, IndexError, KeyError, NotImplementedError, OverflowError, RecursionError, ValueError, zlib.error)


class _Tables(io.BufferedIOBase):
    """The archive as the standard library reads its tables: no piece of it may fill the memory."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def read(self, size: int | None = -1) -> bytes:
        """Read `size` bytes (all that is left: None or negative)."""
        data = self._file.read(_LONGEST_TABLE + 1 if size is None or size < 0 else min(size, _LONGEST_TABLE + 1))
        if len(data) > _LONGEST_TABLE:
            msg = f"the archive has a table longer than {_LONGEST_TABLE} bytes"
            raise ArchiveError(msg)
        return data

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a place, as files do."""
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        """Return the place in the file."""
        return self._file.tell()

    def seekable(self) -> bool:
        """Say yes: what cannot be sought in was copied."""
        return True


def kind_of(file: IO[bytes]) -> str:
    """Return what the bytes are: "gzip", "zip", or else "tar". The file is at its start afterwards."""
    file.seek(0)
    start = file.read(tarfile.BLOCKSIZE)
    file.seek(0)
    # First: the name of a tar's first member may begin with what marks the others.
    place, magic = _TAR_MAGIC
    if start[place:].startswith(magic):
        return "tar"
    return next((kind for magic, kind in _MAGICS.items() if start.startswith(magic)), "tar")


def members_of(file: IO[bytes], limits: Limits) -> list[Member]:
    """Return the members of a tar or a zip. ArchiveError for one that is refused, for too many, for a damaged archive."""
    listing = _zip_members if kind_of(file) == "zip" else _tar_members
    found: list[Member] = []
    try:
        for member in listing(file):
            if len(found) == limits.members:
                msg = f"the archive has more than {limits.members} members"
                raise ArchiveError(msg)
            found.append(member)
    except (tarfile.TarError, zipfile.BadZipFile, *_BROKEN) as error:
        msg = f"not a tar, tar.gz or zip archive, or a damaged one: {error}"
        raise ArchiveError(msg) from error
    return found


def _tar_members(file: IO[bytes]) -> Iterator[Member]:
    with tarfile.open(fileobj=_Tables(file), mode="r:", encoding="utf-8", errors="surrogateescape") as listing:
        for info in listing:
            yield _tar_member(file, info)
        # The standard library takes a damaged header for the end. The true end is a block of zeros.
        file.seek(listing.offset)
        if file.read(tarfile.BLOCKSIZE) != bytes(tarfile.BLOCKSIZE):
            msg = "the archive is damaged or cut off: it has no end mark"
            raise ArchiveError(msg)


def _tar_member(file: IO[bytes], info: tarfile.TarInfo) -> Member:
    if info.isdir():
        return Member(parts=_members.split(info.name), folder=True)
    if info.type not in {tarfile.REGTYPE, tarfile.AREGTYPE} or info.issparse() or info.size < 0:
        raise _members.refuse(info.name, f"it is {_KINDS.get(info.type, 'of an unknown or a sparse kind')}")

    def blocks() -> Iterator[bytes]:
        file.seek(info.offset_data)
        left = info.size
        while left:
            block = file.read(min(left, _BLOCK))
            if not block:
                raise _members.refuse(info.name, "its bytes are cut off")
            left -= len(block)
            yield block

    return Member(
        parts=_members.split_file(info.name),
        folder=False,
        executable=_members.executable(info.mode),
        size=info.size,
        blocks=blocks,
    )


def _zip_members(file: IO[bytes]) -> Iterator[Member]:
    listing = zipfile.ZipFile(_Tables(file))
    for info in listing.infolist():
        yield _zip_member(listing, info)


def _zip_member(listing: zipfile.ZipFile, info: zipfile.ZipInfo) -> Member:
    name = info.orig_filename
    mode = info.external_attr >> 16
    if info.flag_bits & _ZIP_ENCRYPTED:
        raise _members.refuse(name, "it is encrypted")
    if stat.S_IFMT(mode) not in {0, stat.S_IFREG, stat.S_IFDIR}:
        raise _members.refuse(name, "it is a link or a device")
    if name.endswith("/"):
        return Member(parts=_members.split(name), folder=True)
    if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        raise _members.refuse(name, "it is compressed by a method other than deflate")

    def blocks() -> Iterator[bytes]:
        try:
            with listing.open(info) as content:
                while block := content.read(_BLOCK):
                    yield block
        except (zipfile.BadZipFile, *_BROKEN) as error:
            raise _members.refuse(name, f"it is damaged: {error}") from error

    return Member(
        parts=_members.split_file(name),
        folder=False,
        executable=_members.executable(mode),
        size=info.file_size,
        blocks=blocks,
    )
