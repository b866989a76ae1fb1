"""What a compile depends on beside the headers it has read: those that would come before them if they were there."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tvm.support._cache import includes, states
from tvm.support._cache.drivers import Search
from tvm.support._cache.flow import NotCachedError
from tvm.support._cache.states import State

# gcc writes such a name into its list in a way that cannot be read back.
_BACKSLASH = re.compile(rb"(?:#|%:)[ \t]*include[^\n]*\\(?!\r?\n)")
# A precompiled header is taken in place of the header, and stands in no list.
_PRECOMPILED = (".gch", ".pch")


@dataclass(frozen=True, kw_only=True)
class Compiled:
    """A compile: its sources and the headers that it has read (absolute), the user's folders for headers, all folders."""

    sources: Sequence[str]
    headers: Sequence[str]
    folders: Sequence[str]
    search: Search


def made_from(given: Compiled) -> list[State]:
    """Return the state of every header, of every place before it, and of the folders of the system's headers."""
    system = [folder for folder in given.search.folders if folder not in given.folders]
    mine = [header for header in given.headers if not _is_below(header, system)]
    for name in (*given.sources, *mine):
        _require_plain(name)
    folders = list(dict.fromkeys([*given.folders, *map(_folder, [*given.sources, *mine])]))
    asked = {name for header in (*given.sources, *given.headers) for name in _asked(header, _stamp(header))}
    found = [
        *(states.seen(header) for header in given.headers),
        *_shadows(given, mine, folders),
        *_candidates(asked, [*folders, *given.search.folders], set(given.headers)),
        *map(states.names, _system_folders(given, system)),
        *map(states.nothing, given.search.absent),
    ]
    return list({(state.path, state.kind): state for state in found}.values())


def _shadows(given: Compiled, mine: Sequence[str], folders: Sequence[str]) -> Iterator[State]:
    """Give the places in the user's folders where a header would be found in the stead of the one that was."""
    roots = list(dict.fromkeys([*folders, *given.search.folders]))
    names = {name for header in given.headers for name in _names(header, roots)}
    yield from _candidates(names, folders, set(given.headers))
    precompiled = [name + suffix for name in names for suffix in _PRECOMPILED]
    yield from _candidates(precompiled, folders, set())
    yield from _candidates(
        [os.path.basename(header) + suffix for header in mine for suffix in _PRECOMPILED], folders, set()
    )


def _candidates(names: Iterable[str], folders: Sequence[str], known: set[str]) -> Iterator[State]:
    """Give the state of names in folders. Of a name whose first part is not there that part is enough: many share it."""
    for folder in folders:
        try:
            there = {*os.listdir(folder), os.curdir, os.pardir}
        except (FileNotFoundError, NotADirectoryError):
            yield states.missing(folder)
            continue
        firsts = {name: name.partition(os.sep)[0] for name in names}
        yield from (states.nothing(os.path.join(folder, first)) for first in {*firsts.values()} - there)
        paths = (os.path.join(folder, name) for name, first in firsts.items() if first in there)
        for path in paths:
            if path not in known:
                yield states.any_of(path) if os.path.lexists(path) else states.missing(path)


def _names(header: str, roots: Sequence[str]) -> Iterator[str]:
    """Give the names by which a header may have been included."""
    plain = os.path.normpath(header)
    for root in roots:
        folder = os.path.normpath(root) + os.sep
        if plain.startswith(folder):
            yield plain[len(folder) :]


def _system_folders(given: Compiled, system: Sequence[str]) -> list[str]:
    below = {_folder(header) for header in given.headers if _is_below(header, system)}
    return sorted({*system, *below, *given.search.chosen_in})


def _is_below(path: str, folders: Sequence[str]) -> bool:
    plain = os.path.normpath(path)
    return any(plain.startswith(os.path.normpath(folder) + os.sep) for folder in folders)


def _folder(path: str) -> str:
    return os.path.dirname(path)


def _require_plain(path: str) -> None:
    with open(path, "rb") as stream:
        text = stream.read()
    includes.require_certain(text)
    hit = _BACKSLASH.search(text)
    if hit:
        msg = f"{path} has {hit[0][:60]!r}"
        raise NotCachedError(msg)


def _stamp(path: str) -> tuple[int, int]:
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns


@lru_cache(maxsize=8192)
def _asked(path: str, _stamp: tuple[int, int]) -> tuple[str, ...]:
    """Return the names that a header asks for with __has_include."""
    with open(path, "rb") as stream:
        text = stream.read()
    if b"__has_include" not in text and b"__has_embed" not in text:
        return ()
    return tuple(os.fsdecode(name) for name in includes.asked_for(text))
