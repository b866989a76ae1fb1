"""The limit on the store's size: what was used least recently goes first."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tvm.support._cache import flight
from tvm.support._cache.store import BUILDING, KINDS, Store

_SHARDS = 256
# Down to which part of the limit entries are removed, so that not every product has to make room.
_LOW = 0.8


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One file of the store: size in bytes, time of its last use in ns."""

    path: Path
    size: int
    used: int


def entries(store: Store) -> list[Entry]:
    """Return every file of the store, the least recently used one first."""
    found = [entry for kind in KINDS for path in store.files(kind) for entry in _entry(path)]
    return sorted(found, key=lambda entry: (entry.used, entry.path))


def keep_limit(store: Store, names: Iterable[tuple[str, str]], limit: int) -> None:
    """Make room after a product was kept. `names` are the (kind, name) that were written.

    As long as no shard is above its part of the limit the whole is not above it either, and nothing is counted.
    """
    shards = {Path(store.path(kind, name)).parent for kind, name in names}
    if any(_size(shard) > limit // (_SHARDS * len(KINDS)) for shard in shards):
        prune(store, limit)


def prune(store: Store, limit: int) -> tuple[int, int]:
    """Remove entries until the store is below its limit, in bytes; return how many files and bytes went."""
    with flight.alone(store.root / BUILDING, "prune", patience=0.0) as mine:
        if not mine:
            return 0, 0
        found = entries(store)
        total = sum(entry.size for entry in found)
        if total <= limit:
            return 0, 0
        return _remove(found, total - int(limit * _LOW))


def _remove(found: list[Entry], excess: int) -> tuple[int, int]:
    files = freed = 0
    for entry in found:
        if freed >= excess:
            break
        with suppress(OSError):
            entry.path.unlink()
            files, freed = files + 1, freed + entry.size
    return files, freed


def _size(shard: Path) -> int:
    with suppress(OSError):
        return sum(entry.size for path in shard.iterdir() for entry in _entry(path))
    return 0


def _entry(path: Path) -> list[Entry]:
    # It may go while we look.
    with suppress(OSError):
        status = path.stat()
        return [Entry(path=path, size=status.st_size, used=status.st_mtime_ns)]
    return []
