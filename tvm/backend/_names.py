"""Which names a backend can have."""

import keyword
import sys
from importlib.machinery import PathFinder

from tvm import tirx
from tvm.error import BackendNameError

# What tvm.backend has of its own.
_OWN = frozenset({"is_loaded", "load", "package"})


def check(name: str) -> None:
    """Raise BackendNameError for a text that is no name."""
    if not (name.isascii() and name.isidentifier()) or keyword.iskeyword(name) or name.startswith("_"):
        msg = f"{name!r} cannot be the name of a backend"
        raise BackendNameError(msg, fix="use ASCII letters, digits and underscores, as in `cuda` or `my_chip`")


def check_free(name: str) -> None:
    """Raise BackendNameError for a name that would hide a module of tvm.tirx or what tvm.backend has of its own."""
    if name in _OWN:
        msg = f"a backend called {name!r} would hide tvm.backend.{name}"
        raise BackendNameError(msg, fix="choose another name")
    if _is_taken(name):
        msg = f"a backend called {name!r} would hide tvm.tirx.{name}"
        raise BackendNameError(msg, fix="choose another name")


def _is_taken(name: str) -> bool:
    full = f"{tirx.__name__}.{name}"
    return hasattr(tirx, name) or full in sys.modules or PathFinder.find_spec(full, tirx.__path__) is not None
