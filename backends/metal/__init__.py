"""Apple Metal: the script namespace Tx.metal, target tags, devices."""

from functools import partial
from typing import TYPE_CHECKING

from tvm.backend.package import lazy, submodule
from tvm.ir import register_op_table
from tvm.runtime import register_device_api
from tvm.script.namespace import register_script_namespace
from tvm.target import register_device_target_detector, register_tag_table

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

    from tvm.ir import Op
    from tvm.script.table import Wrap

__all__ = ["register_backend", "script_namespace", "script_namespaces"]

_THERE = frozenset({"device", "rows", "script", "target_tags"})
_OPERATIONS = ("tirx.metal.", "tirx.make_filled_simdgroup_matrix", "tirx.simdgroup_")


def register_backend() -> None:
    """Register all that the backend has; its tables are read at their first use."""
    register_device_api("metal", load=lazy(f"{__name__}.device", "API"))
    register_device_target_detector("metal", load=lazy(f"{__name__}.device", "detect"))
    register_tag_table("apple/", lazy(f"{__name__}.target_tags", "TAGS"))
    for prefix in _OPERATIONS:
        register_op_table(prefix, partial(_operations, prefix))
    register_script_namespace("metal", load=script_namespace)


def script_namespaces(*, op_wrapper: "Wrap | None" = None) -> dict[str, object]:
    """Return what Tx.metal is, by name; `op_wrapper` is put around each function that builds a call."""
    from tvm.backend.metal import script  # noqa: PLC0415 - tables load at their first use

    return dict(script.namespaces(op_wrapper))


def script_namespace(*, op_wrapper: "Wrap | None" = None) -> object:
    """Return what Tx.metal is; `op_wrapper` is put around each function that builds a call."""
    return script_namespaces(op_wrapper=op_wrapper)["metal"]


def _operations(prefix: str) -> "Mapping[str, Op]":
    from tvm.backend.metal import script  # noqa: PLC0415 - tables load at their first use

    return script.TABLES.operations(prefix)


def __getattr__(name: str) -> "ModuleType":
    """Import a submodule at its first use."""
    return submodule(__name__, name, there=_THERE)
