"""The table of operations."""

from typing import TYPE_CHECKING

from tvm._registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tvm.ir.op import Op

_OPS: Registry[str, "Op"] = Registry("an operation")


def register_op(op: "Op", *, override: bool = False) -> "Op":
    """Register an operation under its name and return it."""
    return _OPS.register(op.name, op, override=override)


def get_op(name: str) -> "Op":
    """Return the operation of this name. RegistryError with names that look like it when there is none."""
    return _OPS[name]


def register_op_table(prefix: str, load: "Callable[[], Mapping[str, Op]]") -> None:
    """Register operations whose names begin with `prefix`, read at the first use of one."""
    _OPS.register_table(prefix, load)


def unregister_op(name: str) -> None:
    """Remove an operation."""
    _OPS.unregister(name)


def unregister_op_table(prefix: str) -> None:
    """Remove a table of operations."""
    _OPS.unregister_table(prefix)


def has_op(name: str) -> bool:
    """Say whether an operation of this name is registered."""
    return name in _OPS


def list_ops(prefix: str = "") -> list[str]:
    """Return the names of all operations that begin with `prefix`, sorted."""
    return [name for name in _OPS.names() if name.startswith(prefix)]
