"""Apple Metal: the script namespace Tx.metal, target tags, devices."""

from typing import TYPE_CHECKING

from tvm.backend.package import lazy, register_devices, register_operations, submodules
from tvm.script.namespace import register_script_namespace
from tvm.target import register_tag_table

if TYPE_CHECKING:
    from tvm.script.table import Wrap

__all__ = ["register_backend", "script_namespace", "script_namespaces"]

_THERE = frozenset({"device", "rows", "script", "target_tags"})
_OPERATIONS = ("tirx.metal.", "tirx.make_filled_simdgroup_matrix", "tirx.simdgroup_")

__getattr__ = submodules(__name__, there=_THERE)


def register_backend() -> None:
    """Register all that the backend has; its tables are read at their first use."""
    register_devices("metal", f"{__name__}.device")
    register_tag_table("apple/", lazy(f"{__name__}.target_tags", "TAGS"))
    register_operations(f"{__name__}.script", *_OPERATIONS)
    register_script_namespace("metal", load=script_namespace)


def script_namespaces(*, op_wrapper: "Wrap | None" = None) -> dict[str, object]:
    """Return what Tx.metal is, by name; `op_wrapper` is put around each function that builds a call."""
    from tvm.backend.metal import script  # noqa: PLC0415 - tables load at their first use

    return dict(script.TABLES.namespaces(op_wrapper))


def script_namespace(*, op_wrapper: "Wrap | None" = None) -> object:
    """Return what Tx.metal is; `op_wrapper` is put around each function that builds a call."""
    return script_namespaces(op_wrapper=op_wrapper)["metal"]
