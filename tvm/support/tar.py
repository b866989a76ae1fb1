"""Packs object files into one archive and takes them out again, without a tar program."""

import os
import platform
import tarfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Protocol, cast

from tvm.error import ArchiveError
from tvm.support import archive, library
from tvm.support.utils import StrPath, TempDirectory

_SUFFIXES = (".tar", ".tar.gz", ".tgz")


class Packer(Protocol):
    """A function that packs files, with the suffix of what it makes (`cross_compiler` and `export_library` read it)."""

    output_format: str

    def __call__(self, output: StrPath, files: Sequence[StrPath]) -> None:
        """Make the file."""


def _packer(function: Callable[[StrPath, Sequence[StrPath]], None]) -> Packer:
    vars(function).update(output_format="tar")
    return cast("Packer", function)


@_packer
def tar(output: StrPath, files: Sequence[StrPath]) -> None:
    """Pack files, by their base names, into a gzip-compressed tar at `output`; the same files give the same bytes.

    Two files of one base name: ValueError; a folder: IsADirectoryError; a missing file: FileNotFoundError; none at all:
    ArchiveError. `output` is written beside and renamed.
    """
    members: dict[str, Path] = {}
    for file in map(Path, _listed(files)):
        if file.name in members:
            msg = f"duplicate file name {file.name}"
            raise ValueError(msg)
        members[file.name] = file
    if not members:
        msg = "Tar error: no files were given"
        raise ArchiveError(msg, fix="name at least one file")
    read = {os.fspath(file): file for file in members.values()}
    library.call(_pack, (members, Path(output)), name="tarfile", options=[os.fspath(output), *read], inputs=read)


def _pack(job: tuple[dict[str, Path], Path]) -> library.Outcome:
    members, output = job
    try:
        archive.pack(members, output, compress=True)
    except ArchiveError as error:
        raise _tar_error(error) from error
    version = f"Python {platform.python_version()}"
    return library.Outcome(code=0, log="", path=tarfile.__file__, version=version, written=[output])


def untar(tar_file: StrPath, directory: StrPath) -> None:
    """Unpack a tar, compressed or not, into a folder that exists. ArchiveError names the member that is refused."""
    try:
        archive.unpack(Path(tar_file), Path(directory))
    except ArchiveError as error:
        raise _tar_error(error) from error


def normalize_file_list_by_unpacking_tars(temp: TempDirectory, file_list: Iterable[StrPath]) -> list[str]:
    """Put in place of every archive in the list the files it holds, sorted, unpacked into a new folder of `temp`."""
    files: list[str] = []
    for name in (os.fspath(file) for file in _listed(file_list)):
        if name.lower().endswith(_SUFFIXES):
            files += map(str, _unpack_into(_new_folder(temp), Path(name)))
        else:
            files.append(name)
    return files


def _unpack_into(folder: Path, source: Path) -> list[Path]:
    try:
        return archive.unpack(source, folder)
    except ArchiveError as error:
        folder.rmdir()
        raise _tar_error(error) from error


def _new_folder(temp: TempDirectory) -> Path:
    # Made before it is taken: another thread may unpack into the same folder.
    for number in count():
        with suppress(FileExistsError):
            (folder := temp / f"temp{number}").mkdir()
            break
    return folder


def _listed(files: Iterable[StrPath]) -> Iterable[StrPath]:
    if isinstance(files, str | bytes | os.PathLike):
        msg = f"a list of files is needed, not one {type(files).__name__}: {files!r}"
        raise TypeError(msg)
    return files


def _tar_error(error: ArchiveError) -> ArchiveError:
    return ArchiveError(f"Tar error:\n{error.cause}", fix=error.fix)
