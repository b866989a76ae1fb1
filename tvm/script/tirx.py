"""The kernel language as a script sees it: `from tvm.script import tirx as Tx`, then Tx.cuda.cta_sync()."""

from tvm._registry import suggestion
from tvm.script.namespace import get_script_namespace, has_script_namespace, list_script_namespaces


def __getattr__(name: str) -> object:
    """Give the namespace that a backend has registered under this name."""
    if name == "__all__":
        return list_script_namespaces()
    if has_script_namespace(name):
        return get_script_namespace(name)
    close = suggestion(name, list_script_namespaces())
    msg = f"module {__name__!r} has no attribute {name!r}{'; ' + close if close else ''}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    """List the namespaces for completion."""
    return list_script_namespaces()
