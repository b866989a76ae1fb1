"""Names of a package that are imported at their first use: `import tvm` shall not wait for what a program may never need."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType

from tvm._registry import suggestion


def members(package: str, places: Mapping[str, tuple[str, ...]]) -> Callable[[str], object]:
    """Return the __getattr__ of a package whose names stand in other modules: `places` lists them by module."""
    where = {name: module for module, names in places.items() for name in names}

    def find(name: str) -> object:
        if name not in where:
            msg = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(msg)
        value = getattr(import_module(where[name]), name)
        # From now on the name is found without this function.
        setattr(sys.modules[package], name, value)
        return value

    return find


def submodules(
    package: str, *, there: frozenset[str], later: frozenset[str] = frozenset()
) -> Callable[[str], ModuleType]:
    """Return the __getattr__ of a package: it imports a submodule at its first use.

    AttributeError for a name that is not among those that are there; for one that comes `later` it says that.
    """

    def find(name: str) -> ModuleType:
        if name in there:
            return import_module(f"{package}.{name}")
        if name in later:
            msg = f"{package}.{name} is not part of this version of tvm-matrix"
        else:
            close = suggestion(name, sorted(there))
            msg = f"module {package!r} has no attribute {name!r}{'; ' + close if close else ''}"
        raise AttributeError(msg, name=name)

    return find
