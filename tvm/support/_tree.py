"""Writes checked members below a folder, through directory descriptors, and takes everything back if it cannot finish."""

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from tvm.error import ArchiveError
from tvm.support._members import Limits, Member, Parts, refuse

# Windows has none of these: there `write` refuses before it begins.
_FOLDER_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_FILE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)


def write(directory: Path, folders: Sequence[Parts], files: Sequence[Member], limits: Limits) -> None:
    """Make `folders` (parents first), then write `files`. On any failure what was made is removed again."""
    if os.open not in os.supports_dir_fd:
        msg = "archives are unpacked through directory descriptors, which this system lacks"
        raise ArchiveError(msg, fix="unpack on Linux or macOS")
    with _opened(directory) as root, ExitStack() as undo:
        for parts in folders:
            _make_folder(root, parts, undo)
        left = limits.total
        for file in files:
            left -= _write_file(root, file, left, undo)
        undo.pop_all()


@contextmanager
def _opened(directory: Path) -> Iterator[int]:
    try:
        root = os.open(directory, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    except OSError as error:
        msg = f"cannot unpack into {os.fspath(directory)!r}: {error.strerror}"
        raise ArchiveError(msg, fix="make the folder first") from error
    try:
        yield root
    finally:
        os.close(root)


@contextmanager
def _parent(root: int, parts: Parts) -> Iterator[int]:
    # Folder by folder, no link followed: what lies in the target already may be anybody's.
    with ExitStack() as opened:
        folder = root
        for part in parts[:-1]:
            folder = os.open(part, _FOLDER_FLAGS, dir_fd=folder)
            opened.callback(os.close, folder)
        yield folder


def _make_folder(root: int, parts: Parts, undo: ExitStack) -> None:
    name = "/".join(parts)
    try:
        with _parent(root, parts) as folder:
            try:
                os.mkdir(parts[-1], 0o755, dir_fd=folder)
                undo.callback(_remove_folder, root, parts)
            except FileExistsError:
                os.close(os.open(parts[-1], _FOLDER_FLAGS, dir_fd=folder))
    except OSError as error:
        raise refuse(name, f"no folder can be made there: {error.strerror}") from error


def _write_file(root: int, member: Member, left: int, undo: ExitStack) -> int:
    name = "/".join(member.parts)
    try:
        with _parent(root, member.parts) as folder:
            descriptor = os.open(member.parts[-1], _FILE_FLAGS, 0o755 if member.executable else 0o644, dir_fd=folder)
            undo.callback(_remove_file, root, member.parts)
        with os.fdopen(descriptor, "wb") as file:
            for block in member.blocks():
                if file.tell() + len(block) > left:
                    raise refuse(name, "the archive unpacks to more bytes than its limit")
                file.write(block)
            return file.tell()
    except OSError as error:
        raise refuse(name, f"it cannot be written: {error.strerror}") from error


def _remove_file(root: int, parts: Parts) -> None:
    with suppress(OSError), _parent(root, parts) as folder:
        os.unlink(parts[-1], dir_fd=folder)


def _remove_folder(root: int, parts: Parts) -> None:
    with suppress(OSError), _parent(root, parts) as folder:
        os.rmdir(parts[-1], dir_fd=folder)
