"""Tables of things by name. What a backend registers while it is loaded can be undone (see tvm._journal)."""

import os
import threading
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any, Generic, TypeVar, cast

from tvm import _journal
from tvm.error import RegistryError

# One lock for all registries: a fork takes it, so that no child begins in the middle of a registration.
_LOCK = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_LOCK.acquire, after_in_parent=_LOCK.release, after_in_child=_LOCK.release)

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class _Entry(Generic[V]):
    """A value, or what makes it at its first use."""

    def __init__(self, value: V | None = None, load: Callable[[], V] | None = None) -> None:
        self.value = value
        self.load = load

    def get(self) -> V:
        """Make the value once. Two threads may make two, of which one is kept."""
        if (load := self.load) is not None:
            self.value = load()
            self.load = None
        return self.value  # type: ignore[return-value] # None is a value only where V allows it


class _Table(Generic[V]):
    """Many entries whose names begin alike, read at the first use of one of them."""

    def __init__(self, load: Callable[[], Mapping[str, V]]) -> None:
        self.load = load
        self.entries: Mapping[str, V] | None = None

    def get(self) -> Mapping[str, V]:
        if self.entries is None:
            self.entries = dict(self.load())
        return self.entries


class Registry(Generic[K, V]):
    """Values by name, one owner: `what` says in errors what an entry is, "a target kind"."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._entries: dict[K, _Entry[V]] = {}
        self._tables: dict[str, _Table[V]] = {}
        _ALL.append(self)

    def register(self, key: K, value: V, *, override: bool = False) -> V:
        """Register a value and return it. RegistryError for a name that is taken, unless `override`."""
        self._put(key, _Entry(value=value), override=override)
        return value

    def register_lazy(self, key: K, load: Callable[[], V], *, override: bool = False) -> None:
        """Register what `load` will return at the first use."""
        self._put(key, _Entry(load=load), override=override)

    def register_given(self, key: K, value: V | None, load: Callable[[], V] | None, *, override: bool) -> None:
        """Register whichever of the two is given. RegistryError for both or none."""
        if (value is None) == (load is None):
            msg = f"{key!r}, {self._what}: give either the thing itself or load="
            raise RegistryError(msg)
        self._put(key, _Entry(value=value, load=load), override=override)

    def register_table(self, prefix: str, load: Callable[[], Mapping[str, V]]) -> None:
        """Register what `load` will return: values by name, each name beginning with `prefix`, which no other table has."""
        with _LOCK:
            for other in self._tables:
                if other.startswith(prefix) or prefix.startswith(other):
                    msg = f"{self._what}: a table for names that begin with {other!r} is registered already"
                    raise RegistryError(msg, fix="unregister that table first, or choose another prefix")
            table = self._tables[prefix] = _Table(load)
            _journal.record(lambda: self._drop_table(prefix, table))

    def unregister(self, key: K) -> None:
        """Remove an entry. RegistryError when there is none; what comes with a table goes with the table."""
        with _LOCK:
            if key not in self._entries:
                raise self._cannot_remove(key)
            entry = self._entries.pop(key)
            _journal.record(lambda: self._restore(key, entry))

    def unregister_table(self, prefix: str) -> None:
        """Remove a table. RegistryError when there is none."""
        with _LOCK:
            if prefix not in self._tables:
                msg = f"{self._what}: no table for names that begin with {prefix!r} is registered"
                raise RegistryError(msg, looked=sorted(self._tables))
            table = self._tables.pop(prefix)
            _journal.record(lambda: self._restore_table(prefix, table))

    def get(self, key: K) -> V | None:
        """Return the value, or None for a name that is not registered."""
        entry = self._entries.get(key)
        if entry is not None:
            return entry.get()
        table = self._table_of(key)
        return table.get().get(str(key)) if table else None

    def __getitem__(self, key: K) -> V:
        if key not in self:
            raise self.missing(key)
        return self.get(key)  # type: ignore[return-value] # it is there

    def __contains__(self, key: object) -> bool:
        if key in self._entries:
            return True
        table = self._table_of(key)
        return table is not None and key in table.get()

    def names(self) -> list[K]:
        """Return all names, sorted; reads every table."""
        tables = [name for table in list(self._tables.values()) for name in table.get()]
        # There are tables only where names are texts.
        return sorted({*self._entries, *cast("list[K]", tables)}, key=str)

    def items(self) -> Iterator[tuple[K, V]]:
        """Give names and values, sorted by name."""
        return ((name, self[name]) for name in self.names())

    def missing(self, key: object) -> RegistryError:
        """Return the error for a name that is not registered: it suggests one that looks like it and lists all."""
        names = [str(name) for name in self.names()]
        return RegistryError(f"{key!r} is not {self._what}", fix=suggestion(str(key), names), looked=names)

    def _cannot_remove(self, key: object) -> RegistryError:
        if key not in self:
            return self.missing(key)
        msg = f"{key!r} is {self._what} of a table, which can only be unregistered whole"
        return RegistryError(msg, fix="unregister the table, or register the name with override=True")

    def snapshot(self) -> dict[str, object]:
        """Return every entry and table, to compare a registry whole; reads nothing."""
        tables = {f"{prefix}*": table for prefix, table in self._tables.items()}
        return {**{str(key): entry for key, entry in self._entries.items()}, **tables}

    @property
    def what(self) -> str:
        """What an entry is."""
        return self._what

    def _put(self, key: K, entry: _Entry[V], *, override: bool) -> None:
        # Outside the lock: a table may import modules, and another thread may import one of them and register something there.
        taken = not override and key in self
        with _LOCK:
            if taken or (not override and key in self._entries):
                msg = f"{key!r} is registered already as {self._what}"
                raise RegistryError(msg, fix="pass override=True to replace it, or choose another name")
            before = self._entries.get(key)
            self._entries[key] = entry
            _journal.record(lambda: self._undo_put(key, entry, before))

    def _undo_put(self, key: K, entry: _Entry[V], before: _Entry[V] | None) -> None:
        # Another thread may have put its own there meanwhile: that stays.
        with _LOCK:
            if self._entries.get(key) is not entry:
                return
            if before is None:
                del self._entries[key]
            else:
                self._entries[key] = before

    def _restore(self, key: K, entry: _Entry[V]) -> None:
        with _LOCK:
            self._entries.setdefault(key, entry)

    def _drop_table(self, prefix: str, table: _Table[V]) -> None:
        with _LOCK:
            if self._tables.get(prefix) is table:
                del self._tables[prefix]

    def _restore_table(self, prefix: str, table: _Table[V]) -> None:
        with _LOCK:
            self._tables.setdefault(prefix, table)

    def _table_of(self, key: object) -> _Table[V] | None:
        if not isinstance(key, str):
            return None
        return next((table for prefix, table in list(self._tables.items()) if key.startswith(prefix)), None)


_ALL: "list[Registry[Any, Any]]" = []


def snapshot() -> dict[str, dict[str, object]]:
    """Return what every registry holds, to compare them whole."""
    return {registry.what: registry.snapshot() for registry in _ALL}


def suggestion(name: str, known: list[str]) -> str:
    """Return "did you mean ...?" for names that look like this one, or ""."""
    import difflib  # noqa: PLC0415 - only a mistake needs it

    close = difflib.get_close_matches(name, known, n=3)
    return f"did you mean {' or '.join(close)}?" if close else ""
