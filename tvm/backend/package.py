"""What the package of a backend is written with."""

from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

from tvm._registry import suggestion


def submodule(package: str, name: str, *, there: frozenset[str], later: frozenset[str] = frozenset()) -> ModuleType:
    """Import the submodule `name` of a package: what its module `__getattr__` returns.

    AttributeError for a name that is not among those that are there; for one that comes `later` it says that.
    """
    if name in there:
        return import_module(f"{package}.{name}")
    if name in later:
        msg = f"{package}.{name} is not part of this version of tvm-matrix"
    else:
        close = suggestion(name, sorted(there))
        msg = f"module {package!r} has no attribute {name!r}{'; ' + close if close else ''}"
    raise AttributeError(msg, name=name)


def lazy(module: str, name: str) -> Callable[[], Any]:
    """Return a function that imports a module and returns what it calls `name`: the `load` of a registration."""
    return lambda: getattr(import_module(module), name)
