"""All that a backend can change, to be compared whole."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import tvm_ffi

from tvm import _journal, _registry, backend, base, tirx
from tvm.backend import _alias, _autoload, _loader
from tvm.ir import list_ops

# The tables of the nine are read now: what they import is not what a test has changed.
list_ops()


def state() -> dict[str, object]:
    """Return every registry with its entries, what is loaded, every alias, every module of tvm, every library, every global function."""
    return {
        **_registry.snapshot(),
        "loaded": _loader.loaded(),
        "aliases": set(_alias._finder.names),
        "tvm.tirx": set(vars(tirx)),
        "tvm.backend": set(vars(backend)),
        "libraries": dict(base._LOADED_LIBS),
        "modules": set(filter(_is_new, sys.modules)),
        "global functions": set(tvm_ffi.registry.list_global_func_names()),
    }


def _is_new(module: str) -> bool:
    # The nine import modules of theirs whenever a test looks up what they registered.
    parts = module.split(".")
    return module.startswith(("tvm.backend.", "tvm.tirx.")) and parts[2] not in _autoload.BUILT_IN


def changed(before: dict[str, object]) -> dict[str, object]:
    """Return what is no longer as it was."""
    after = state()
    return {key: after.get(key) for key in {*before, *after} if before.get(key) != after.get(key)}


class _FailedError(Exception):
    pass


@contextmanager
def failing() -> Iterator[None]:
    """Do what the block does in a load that then fails."""
    with suppress(_FailedError), _journal.transaction():
        yield
        raise _FailedError


@contextmanager
def undone() -> Iterator[None]:
    """Undo what this thread loads and registers in the block; then everything must be as before."""
    before = state()
    try:
        with _journal.transaction() as journal:
            yield
            journal.rollback()
    finally:
        left = changed(before)
    assert left == {}, left
