"""Answers that take long to find and seldom change (where a library is), kept as long as what they were read off stays."""

import hashlib
import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from tvm.support._cache import flight, flow, sealed, states
from tvm.support._cache.states import State
from tvm.support._cache.store import BUILDING, Store

# Looks at what an answer depends on: called only where the answer is written down, since files may have to be hashed for it.
Watched = Callable[[], Iterable[State]]

# What this process has found: as with a library that it has loaded, it stays with that.
_FOUND: dict[str, Any] = {}


def remembered(name: str, said: object, compute: Callable[[], tuple[Any, Watched | None]]) -> Any:
    """Return a JSON value that `compute` gives for `said`, with what it depends on (None: not to be kept)."""
    opened = flow.current()
    if opened is None:
        return compute()[0]
    place = f"{opened.root}\0{name}\0{said!r}"
    if place not in _FOUND:
        key = hashlib.sha256(json.dumps([name, said]).encode()).hexdigest()
        value = _kept(opened, key)
        if value is None:
            value, watched = compute()
            if watched is None:
                return value
            _keep(opened, key, value, watched)
        _FOUND[place] = value
    return _FOUND[place]


def forget() -> None:
    """Forget what this process has found."""
    _FOUND.clear()


def _kept(opened: Store, key: str) -> Any:
    found = opened.sealed("memos", key)
    if found is None or not states.all_hold(found["from"]):
        return None
    return found["value"]


def _keep(opened: Store, key: str, value: object, watched: Watched) -> None:
    if not opened.writable:
        return
    # Two that found the same at once write the same. What cannot be looked at is not watched: nothing is written.
    with suppress(OSError), flight.alone(opened.root / BUILDING, key, patience=0.0) as mine:
        if mine:
            data = sealed.wrap({"value": value, "from": [state.as_json() for state in watched()]})
            opened.put("memos", key, data, part=key)
