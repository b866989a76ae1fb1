"""Looks at every entry of the store, and takes out what is damaged, or leads nowhere."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tvm.support._cache import flight, sealed
from tvm.support._cache.store import BUILDING, KINDS, Store


@dataclass(frozen=True, kw_only=True)
class Verified:
    """What was found: sound entries, damaged ones that were removed, entries without their product, builders at work."""

    sound: int
    damaged: int
    orphans: int
    building: int


def verify(store: Store) -> Verified:
    """Read every entry. What is damaged is removed, then the results without their files and the manifests without results."""
    before = _count(store)
    damaged = sum(_drop(store, path) for kind in KINDS for path in store.files(kind) if not _is_sound(kind, path))
    orphans = sum(_drop(store, path) for path in _without_files(store))
    orphans += sum(_drop(store, path) for path in _without_results(store))
    building = flight.sweep(store.root / BUILDING) if store.writable else 0
    return Verified(sound=before - damaged - orphans, damaged=damaged, orphans=orphans, building=building)


def _count(store: Store) -> int:
    return sum(1 for kind in KINDS for _ in store.files(kind))


def _drop(store: Store, path: Path) -> int:
    store.drop(path)
    return 1


def _is_sound(kind: str, path: Path) -> bool:
    try:
        data = path.read_bytes()
        if kind == "blobs":
            return hashlib.sha256(data).hexdigest() == path.name
        sealed.unwrap(data)
    except FileNotFoundError:
        # Another process has just made room.
        return True
    except (OSError, sealed.DamagedError):
        return False
    return True


def _without_files(store: Store) -> Iterator[Path]:
    for path in store.files("results"):
        found: dict[str, Any] | None = store.sealed("results", path.name)
        listed = [] if found is None else list(found["files"].values())
        if any(not Path(store.path("blobs", digest)).exists() for digest, _, _ in listed):
            yield path


def _without_results(store: Store) -> Iterator[Path]:
    for path in store.files("manifests"):
        entries = store.entries(path.name)
        if not any(Path(store.path("results", entry["result"])).exists() for entry in entries):
            yield path
