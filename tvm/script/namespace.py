"""Namespaces that backends add to the script language: Tx.cuda, Tx.nki."""

import keyword
from collections.abc import Callable

from tvm._registry import Registry
from tvm.error import RegistryError

_NAMESPACES: Registry[str, object] = Registry("a script namespace")


def register_script_namespace(
    name: str, obj: object = None, *, load: Callable[[], object] | None = None, override: bool = False
) -> object:
    """Register an object as Tx.NAME, or what makes it at its first use; return the object."""
    if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_"):
        msg = f"{name!r} cannot be the name of a script namespace"
        raise RegistryError(msg, fix="use a Python name that does not begin with an underscore")
    _NAMESPACES.register_given(name, obj, load, override=override)
    return obj


def unregister_script_namespace(name: str) -> None:
    """Remove a namespace."""
    _NAMESPACES.unregister(name)


def get_script_namespace(name: str) -> object:
    """Return the object behind Tx.NAME. RegistryError when there is none."""
    return _NAMESPACES[name]


def has_script_namespace(name: str) -> bool:
    """Say whether there is a Tx.NAME of a backend."""
    return name in _NAMESPACES


def list_script_namespaces() -> list[str]:
    """Return the names of all namespaces, sorted."""
    return _NAMESPACES.names()
