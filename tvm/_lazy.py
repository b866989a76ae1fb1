"""Names of a package that are imported at their first use: `import tvm` shall not wait for what a program may never need."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


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


def submodules(package: str, names: frozenset[str]) -> Callable[[str], object]:
    """Return the __getattr__ of a package whose submodules are there without an import of their own."""

    def find(name: str) -> object:
        if name in names:
            return import_module(f"{package}.{name}")
        msg = f"module {package!r} has no attribute {name!r}"
        raise AttributeError(msg)

    return find
