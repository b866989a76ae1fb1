"""What gcc or clang says about itself: which programs it starts, and where it looks for headers and libraries."""

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tvm.support._cache import programs
from tvm.support._cache.flow import NotCachedError
from tvm.support.utils import search_path

_STARTS = '#include "..." search starts here:'
_ENDS = "End of search list."
_ABSENT = re.compile(r'^ignoring nonexistent directory "(.*)"$', re.MULTILINE)
_CANDIDATE = re.compile(r"^(?:Found candidate|Selected) GCC installation: (.+)$", re.MULTILINE)
_LINKER = re.compile(r"([\w.+-]*-)?ld([.-](bfd|gold|lld)(-\d+)?)?|lld")
_PATHS = re.compile(r"^(COMPILER_PATH|LIBRARY_PATH)=(.*)$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Driver:
    """A driver with its options: files that it runs or reads, places where a program is not, folders of libraries, their names.

    `linker` is "" where it starts none.
    """

    is_gcc: bool
    linker: str
    files: tuple[str, ...]
    absent: tuple[str, ...]
    library_folders: tuple[str, ...]
    libraries: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Search:
    """Folders for headers in order, folders that would be searched but are not there, and those a choice was made in."""

    folders: tuple[str, ...]
    absent: tuple[str, ...]
    chosen_in: tuple[str, ...]


Environment = tuple[tuple[str, str], ...]


@lru_cache(maxsize=64)
def driver(command: tuple[str, ...], _stamp: tuple[int, ...], cwd: str, environment: Environment) -> Driver:
    """Ask what a command would start (`-###`). The stamp is the program's, so that another one is asked again."""
    output = programs.ask([*command, "-###"], cwd=cwd, environment=dict(environment)).output
    if "Configuration file:" in output:
        msg = f"{command[0]} reads a configuration file"
        raise NotCachedError(msg)
    lines = [
        shlex.split(line) for line in output.splitlines() if line.startswith(" ") and line.strip() != "(in-process)"
    ]
    if not lines:
        msg = f"{command[0]} starts nothing"
        raise NotCachedError(msg)
    said = dict(_PATHS.findall(output))
    own = [folder for folder in said.get("COMPILER_PATH", "").split(os.pathsep) if folder]
    path = [*own, *search_path(dict(environment).get("PATH", ""))]
    started = [line[0] for line in lines]
    if any(Path(program).name == "collect2" for program in started):
        fuse = [word for word in command if word.startswith("-fuse-ld=")]
        asked = [command[0], *fuse, "-print-prog-name=ld"]
        started.append(programs.ask(asked, cwd=cwd, environment=dict(environment)).output.strip())
    found = [_find(program, path, cwd) for program in started]
    words = [word for line in lines for word in line[1:]]
    return Driver(
        is_gcc="COMPILER_PATH" in said,
        linker=found[-1][0] if _LINKER.fullmatch(Path(found[-1][0]).name) else "",
        files=tuple(dict.fromkeys([*(hit for hit, _ in found), *programs.named(words)])),
        absent=tuple(dict.fromkeys(gone for _, before in found for gone in before)),
        library_folders=tuple(_library_folders(words, said.get("LIBRARY_PATH", ""), cwd)),
        libraries=tuple(dict.fromkeys(word[2:] for word in words if word.startswith("-l") and len(word) > 2)),  # noqa: PLR2004
    )


@lru_cache(maxsize=64)
def search(command: tuple[str, ...], _stamp: tuple[int, ...], cwd: str, environment: Environment) -> Search:
    """Ask where a command would look for headers (`-E -v` of an empty source)."""
    output = programs.ask([*command, "-E", "-v"], cwd=cwd, environment=dict(environment)).output
    _, found, rest = output.partition(_STARTS)
    listed, end, _ = rest.partition(_ENDS)
    if not found or not end or "(framework directory)" in listed:
        msg = f"{command[0]} does not say where it looks for headers"
        raise NotCachedError(msg)
    folders = [line[1:] for line in listed.splitlines() if line.startswith(" ")]
    return Search(
        folders=tuple(_absolute(folder, cwd) for folder in folders),
        absent=tuple(_absolute(folder, cwd) for folder in _ABSENT.findall(output)),
        chosen_in=tuple(sorted({os.path.dirname(_absolute(folder, cwd)) for folder in _CANDIDATE.findall(output)})),
    )


def _find(program: str, path: Sequence[str], cwd: str) -> tuple[str, list[str]]:
    """Return a program's file and the places before it where it is not."""
    if os.sep in program:
        return _absolute(program, cwd), []
    places = [str(Path(folder, program)) for folder in path]
    for number, place in enumerate(places):
        if Path(place).is_file() and os.access(place, os.X_OK):
            return place, places[:number]
    msg = f"{program} is not found"
    raise NotCachedError(msg)


def _library_folders(words: Sequence[str], path: str, cwd: str) -> list[str]:
    given = [word[2:] for word in words if word.startswith("-L") and word != "-L"]
    folders = [*given, *path.split(os.pathsep)]
    return list(dict.fromkeys(_absolute(folder, cwd) for folder in folders if folder))


def _absolute(path: str, cwd: str) -> str:
    return os.path.join(cwd, path)


def stamp(program: str) -> tuple[int, ...]:
    """Return what changes when a program is replaced."""
    status = Path(program).stat()
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def described(environment: Mapping[str, str]) -> Environment:
    """Return an environment as a value that can be compared."""
    return tuple(sorted(environment.items()))
