"""Which backends are loaded, and which are being loaded by which thread."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from tvm._journal import Journal


class _Transaction:
    """What one thread is loading: a backend, then those that its hook loads in turn. All are committed together or none is."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.names: list[str] = []


class States:
    """A backend is absent, being loaded by one thread, or loaded. Other threads wait for the result of a load."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._loaded: dict[str, None] = {}
        self._transactions: dict[int, _Transaction] = {}
        self._waiting: dict[int, str] = {}
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._in_child)

    def names(self) -> list[str]:
        """Return what is loaded, in the order in which it was."""
        return list(self._loaded)

    def has(self, name: str) -> bool:
        """Say whether a backend is loaded; for the thread that loads it, it is as soon as its hook runs."""
        return name in self._loaded or name in self._names_of(threading.get_ident())

    def begin(self, name: str, journal: Journal) -> bool:
        """Say whether this thread is to load the backend: not if it is loaded, nor if this thread is loading it already."""
        thread = threading.get_ident()
        with self._changed:
            while name not in self._loaded:
                owner = self._owner(name)
                if owner is None:
                    # The first step kept is the last undone: until then the other threads wait.
                    journal.record(partial(self._abandon, thread, name))
                    self._transactions.setdefault(thread, _Transaction(journal)).names.append(name)
                    return True
                # Two hooks that load each other in two threads: as in one thread, the second finds the first begun.
                if self._waits_for(owner, thread):
                    return False
                with self._waits(thread, name):
                    self._changed.wait()
        return False

    def finish(self, name: str) -> None:
        """Commit what this thread has loaded, if the load that all others are part of is done."""
        thread = threading.get_ident()
        with self._changed:
            names = self._names_of(thread)
            if names[0] == name:
                self._loaded.update(dict.fromkeys(names))
                del self._transactions[thread]
                self._changed.notify_all()

    def _abandon(self, thread: int, name: str) -> None:
        with self._changed:
            self._loaded.pop(name, None)
            names = self._names_of(thread)
            if name in names:
                names.remove(name)
            if not names:
                self._transactions.pop(thread, None)
            self._changed.notify_all()

    def _names_of(self, thread: int) -> list[str]:
        transaction = self._transactions.get(thread)
        return transaction.names if transaction else []

    def _owner(self, name: str) -> int | None:
        return next((thread for thread, what in self._transactions.items() if name in what.names), None)

    def _waits_for(self, thread: int, other: int) -> bool:
        """Say whether `thread` is `other`, or waits, maybe through others, for what `other` is loading."""
        seen: set[int] = set()
        while thread != other and thread not in seen:
            seen.add(thread)
            owner = self._owner(self._waiting.get(thread, ""))
            if owner is None:
                return False
            thread = owner
        return thread == other

    @contextmanager
    def _waits(self, thread: int, name: str) -> Iterator[None]:
        self._waiting[thread] = name
        try:
            yield
        finally:
            del self._waiting[thread]

    def _in_child(self) -> None:
        """Undo what other threads were loading at a fork: in the child they do not exist, and nobody would end it."""
        self._changed = threading.Condition()
        self._waiting = {}
        mine = threading.get_ident()
        for thread in [thread for thread in self._transactions if thread != mine]:
            self._transactions.pop(thread).journal.rollback()
