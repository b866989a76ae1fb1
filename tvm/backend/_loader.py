"""Loads a backend whole or not at all."""

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, cast

from tvm import _journal
from tvm.backend import _alias, _names
from tvm.backend._states import States
from tvm.base import load_optional_library
from tvm.error import BackendHookError, BackendNotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable

_STATES = States()
_PACKAGE = "tvm.backend"
_HOOK = "register_backend"


def load(name: str) -> None:
    """Import tvm.backend.NAME and call its register_backend(), once; then it is tvm.tirx.NAME too.

    If anything fails, KeyboardInterrupt included, all that this thread has registered meanwhile is undone and the error raised:
    BackendNameError for what is no name, BackendNotFoundError (an ImportError) when there is no such package, BackendHookError
    (an AttributeError) when it has no register_backend(), or what the package itself raised. Another thread that loads the same
    backend waits for the result. A backend that the hook loads in turn is undone with it.
    """
    if _STATES.has(name):
        return
    _names.check(name)
    with _journal.transaction() as journal:
        if _STATES.begin(name, journal):
            # Not before: while another thread loads it, tvm.tirx.NAME is there.
            _names.check_free(name)
            _load(name, journal)
            _STATES.finish(name)


def is_loaded(name: str) -> bool:
    """Say whether a backend is loaded; imports nothing. Within its own register_backend() it is."""
    return _STATES.has(name)


def loaded() -> list[str]:
    """Return the names of the loaded backends, in the order in which they were."""
    return _STATES.names()


def _load(name: str, journal: _journal.Journal) -> None:
    full = f"{_PACKAGE}.{name}"
    known = frozenset(sys.modules)
    journal.record(lambda: _forget_new(full, known))
    module = _import(name, full)
    hook = cast("Callable[[], object] | None", getattr(module, _HOOK, None))
    if hook is None:
        msg = f"the package {full} has no function {_HOOK}()"
        raise BackendHookError(msg, fix=f"define it in {module.__file__ or full}", looked=list(module.__path__))
    _alias.add(name, module)
    load_optional_library(f"tvm_runtime_{name}", [Path(folder) for folder in module.__path__])
    hook()
    _alias.add_submodules(name)


def _import(name: str, full: str) -> ModuleType:
    try:
        return import_module(full)
    except ModuleNotFoundError as error:
        # What is missing may as well be something that the package needs: then that error says more.
        if error.name != full:
            raise
        msg = f"there is no backend {name!r}: no package {full} can be imported"
        fix = "install the distribution that provides it, or correct the name"
        raise BackendNotFoundError(msg, fix=fix, looked=list(sys.modules[_PACKAGE].__path__)) from error


def _forget_new(full: str, known: frozenset[str]) -> None:
    new = [key for key in sys.modules if (key == full or key.startswith(f"{full}.")) and key not in known]
    for key in sorted(new, reverse=True):
        _journal.forget_module(key)
