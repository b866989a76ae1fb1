"""A product from the cache, or from its tool and into the cache."""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tvm.error import TVMError
from tvm.support._cache import evict, flight, remote, settings, states, store
from tvm.support._cache.settings import Mode
from tvm.support._cache.states import State
from tvm.support._cache.store import BUILDING, Product, Store

_log = logging.getLogger("tvm.support.cache")

# How far a wall clock may go from the steady one while a tool runs, in ns.
_JUMP = 1_000_000_000


class NotCachedError(Exception):
    """A product is not to be cached: something about it is not known for certain."""


@dataclass(frozen=True, kw_only=True)
class Made:
    """A new product, and a function that says what it was made from (NotCachedError: not known for certain)."""

    product: Product
    made_from: Callable[[], Sequence[State]]


@dataclass(frozen=True, kw_only=True)
class Fetched:
    """A product, and whether it came from the cache."""

    product: Product
    hit: bool


# Makes a product. The path is where files of its own may begin (None: the product will not be kept).
Build = Callable[[Path | None], Made]


def fetch(opened: Store | None, key: str, build: Build) -> Fetched:
    """Return the product of `key` from the cache, else from `build`; then it is kept, if that can be done safely."""
    if opened is None:
        return Fetched(product=build(None).product, hit=False)
    found = opened.load(key)
    if found is None and not opened.writable:
        found = remote.load(opened, key, keep=False)
    if found is not None:
        return Fetched(product=found, hit=True)
    if not opened.writable:
        return Fetched(product=build(None).product, hit=False)
    with _alone(opened, key) as scratch:
        found = (opened.load(key) or remote.load(opened, key, keep=True)) if scratch else None
        if found is not None:
            return Fetched(product=found, hit=True)
        return Fetched(product=_build_and_keep(opened, key, build, scratch), hit=False)


def current() -> Store | None:
    """Return the store in force; None where the cache is off, or cannot be used (which is logged)."""
    mode = settings.mode()
    if mode is Mode.OFF:
        return None
    try:
        return store.opened(settings.folder(), write=mode is Mode.ON)
    except TVMError as error:
        _warn(str(error))
        return None


@lru_cache(maxsize=64)
def _warn(why: str) -> None:
    """Say why there is no cache, once: whoever compiles a thousand times need not read it as often."""
    _log.warning("no compile cache: %s", why)


def not_kept(what: object) -> None:
    """Say why a product is not in the cache."""
    _log.debug("not cached: %s", what)


@contextmanager
def _alone(opened: Store, key: str) -> Iterator[Path | None]:
    """Give the path that files of this builder begin with; None where another builds, or the folder cannot be written."""
    folder = opened.root / BUILDING
    with ExitStack() as stack:
        scratch = None
        try:
            scratch = stack.enter_context(flight.alone(folder, key))
        except OSError as error:
            not_kept(error)
        yield scratch


def _build_and_keep(opened: Store, key: str, build: Build, scratch: Path | None) -> Product:
    if scratch is None:
        return build(None).product
    mark = scratch.with_name(f"{scratch.name}.mark")
    with suppress(OSError):
        mark.touch()
    wall, steady = time.time_ns(), time.monotonic_ns()
    made = build(scratch)
    try:
        made_from = list(made.made_from())
        jumped = abs((time.time_ns() - wall) - (time.monotonic_ns() - steady)) > _JUMP
        # The clock that stamps files is asked, and asked now, as it was for the files: it need not be this process's.
        _require_settled(made_from, mark.stat().st_mtime_ns, jumped=jumped)
        names = opened.save(key, made.product, made_from)
    except (NotCachedError, OSError) as error:
        not_kept(error)
    else:
        evict.keep_limit(opened, names, settings.limit())
        remote.save(opened, key)
    return made.product


def _require_settled(made_from: Sequence[State], began: int, *, jumped: bool) -> None:
    """Refuse what may have changed while the tool ran: then nobody knows which bytes it has read."""
    if jumped:
        msg = "the clock was set while the tool ran"
        raise NotCachedError(msg)
    for state in made_from:
        if state.kind != "none" and not states.is_older(state, began):
            msg = f"{state.path} was changed less than two seconds before the tool began, or while it ran"
            raise NotCachedError(msg)
