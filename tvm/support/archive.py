"""The one reader and the one writer of archives: tar, tar.gz (tgz) and zip in, tar and tar.gz out.

Reading trusts nothing: every name, type and size is checked before the first byte is written, and the bytes that come out are
counted. Writing is reproducible: the same members give the same bytes, whenever, by whomever and in whatever order.
"""

import gzip
import io
import os
import secrets
import stat
import tarfile
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Protocol

from tvm.error import ArchiveError
from tvm.support import _listing, _members, _tree
from tvm.support._members import Limits, Parts

# Eight GiB and 200,000 members: more than an NDK has.
LIMIT_BYTES = 8 << 30
LIMIT_MEMBERS = 200_000

_BLOCK = 1 << 20
_LEVEL = 6


def unpack(
    source: Path | IO[bytes],
    directory: Path,
    *,
    limit_bytes: int = LIMIT_BYTES,
    limit_members: int = LIMIT_MEMBERS,
) -> list[Path]:
    """Unpack an archive into a folder that exists, and return the files it wrote, sorted.

    Taken are regular files and folders by relative names; a link, device, sparse or encrypted member, an absolute name, '..',
    a name that occurs twice, a file that is there already: ArchiveError, and the folder is as it was.
    """
    limits = Limits(total=limit_bytes, members=limit_members)
    with _opened(source, limits) as file:
        members = _listing.members_of(file, limits)
        files = sorted((member for member in members if not member.folder), key=lambda member: member.parts)
        folders = _members.check_names(
            (member.parts for member in files), (member.parts for member in members if member.folder)
        )
        if sum(member.size for member in files) > limits.total:
            msg = f"the archive unpacks to more than {limits.total} bytes"
            raise ArchiveError(msg)
        _tree.write(directory, folders, files, limits)
    return [directory.joinpath(*member.parts) for member in files]


def pack(members: Mapping[str, Path | bytes], sink: IO[bytes] | Path, *, compress: bool) -> None:
    """Write a tar (with `compress` a tar.gz) of `members`: name in the archive -> a file, or the bytes themselves.

    Names are sorted, every parent folder has an entry, times, owners and groups are 0, modes 0644 or 0755. A sink that is a
    path is written beside and renamed. (Compressed bytes also depend on the zlib that Python was built with.)
    """
    files = {}
    for name, content in members.items():
        parts = _members.split_file(name)
        if parts in files:
            raise _members.refuse(name, "the name occurs twice")
        files[parts] = content
    folders = _members.check_names(files, ())
    for content in files.values():
        _check_source(content)
    if isinstance(sink, Path):
        with _beside(sink) as file:
            _write(file, folders, files, compress=compress)
    else:
        _write(sink, folders, files, compress=compress)


@contextmanager
def _opened(source: Path | IO[bytes], limits: Limits) -> Iterator[IO[bytes]]:
    """Give the archive as a file that can be sought in; gzip is undone, within the limits."""
    with _raw(source, limits) as raw:
        if _listing.kind_of(raw) != "gzip":
            yield raw
            return
        with tempfile.TemporaryFile() as plain:
            try:
                with gzip.GzipFile(fileobj=raw, mode="rb") as packed:
                    _copy(packed, plain, limits.stream)
            except (OSError, EOFError, zlib.error) as error:
                msg = f"the archive is damaged: {error}"
                raise ArchiveError(msg) from error
            yield plain


@contextmanager
def _raw(source: Path | IO[bytes], limits: Limits) -> Iterator[IO[bytes]]:
    if not isinstance(source, Path):
        with tempfile.TemporaryFile() as spool:
            _copy(source, spool, limits.stream)
            yield spool
        return
    try:
        file = _open_regular(source)
    except OSError as error:
        msg = f"cannot read the archive {os.fspath(source)!r}: {error.strerror}"
        raise ArchiveError(msg) from error
    with file:
        if os.fstat(file.fileno()).st_size > limits.stream:
            raise _too_long(limits.stream)
        yield file


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def _copy(source: _Readable, sink: IO[bytes], limit: int) -> None:
    total = 0
    while block := source.read(_BLOCK):
        total += len(block)
        if total > limit:
            raise _too_long(limit)
        sink.write(block)
    sink.seek(0)


def _too_long(limit: int) -> ArchiveError:
    return ArchiveError(f"the archive is longer than {limit} bytes")


def _open_regular(path: Path) -> IO[bytes]:
    # Without O_NONBLOCK a fifo would wait for its other end.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        # IsADirectoryError for a folder, and then the descriptor is still open.
        file = os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        msg = f"not a regular file: {os.fspath(path)!r}"
        raise ArchiveError(msg)
    return file


def _check_source(content: Path | bytes) -> None:
    if isinstance(content, Path):
        _open_regular(content).close()


def _write(sink: IO[bytes], folders: list[Parts], files: Mapping[Parts, Path | bytes], *, compress: bool) -> None:
    if compress:
        with gzip.GzipFile(filename="", fileobj=sink, mode="wb", compresslevel=_LEVEL, mtime=0) as packed:
            _write_tar(packed, folders, files)
    else:
        _write_tar(sink, folders, files)


def _write_tar(sink: IO[bytes] | gzip.GzipFile, folders: list[Parts], files: Mapping[Parts, Path | bytes]) -> None:
    # The stream mode needs no sink that can be sought in.
    with tarfile.open(
        fileobj=sink, mode="w|", format=tarfile.GNU_FORMAT, encoding="utf-8", errors="surrogateescape"
    ) as listing:
        for parts in sorted([*folders, *files]):
            if parts in files:
                _add_file(listing, parts, files[parts])
            else:
                listing.addfile(_info(parts, kind=tarfile.DIRTYPE, mode=0o755))


def _add_file(listing: tarfile.TarFile, parts: Parts, content: Path | bytes) -> None:
    if isinstance(content, bytes):
        listing.addfile(_info(parts, size=len(content)), io.BytesIO(content))
        return
    with _open_regular(content) as file:
        status = os.fstat(file.fileno())
        mode = 0o755 if _members.executable(status.st_mode) else 0o644
        try:
            listing.addfile(_info(parts, mode=mode, size=status.st_size), file)
        except OSError as error:
            msg = f"cannot pack {os.fspath(content)!r}: {error}"
            raise ArchiveError(msg, fix="was it changed meanwhile, or is the disk full?") from error


def _info(parts: Parts, *, kind: bytes = tarfile.REGTYPE, mode: int = 0o644, size: int = 0) -> tarfile.TarInfo:
    info = tarfile.TarInfo("/".join(parts))
    info.type, info.mode, info.size = kind, mode, size
    return info


@contextmanager
def _beside(target: Path) -> Iterator[IO[bytes]]:
    """Open a new file beside `target` that takes its place when the block ends well."""
    fresh = target.with_name(f".{target.name[:100]}.{secrets.token_hex(8)}.part")
    try:
        with fresh.open("xb") as file:
            yield file
        fresh.replace(target)
    finally:
        fresh.unlink(missing_ok=True)
