"""AWS Trainium: the script namespace Tx.nki, target tags, the pipeline "trn"."""

from typing import TYPE_CHECKING

from tvm.backend.package import lazy, register_operations, submodules
from tvm.script.namespace import register_script_namespace
from tvm.target import register_tag_table
from tvm.tirx.compilation_pipeline import register_tir_pipeline

if TYPE_CHECKING:
    from tvm.script.table import Wrap
    from tvm.tirx.compilation_pipeline import Pipeline

__all__ = ["register_backend", "script_namespace", "script_namespaces"]

_THERE = frozenset({"pipeline", "rows", "script", "target_tags"})
_LATER = frozenset({"layout", "op", "tile_primitive", "transform"})

__getattr__ = submodules(__name__, there=_THERE, later=_LATER)


def register_backend() -> None:
    """Register all that the backend has; its tables are read at their first use."""
    register_tag_table("aws/trn1/", lazy(f"{__name__}.target_tags", "TAGS"))
    register_operations(f"{__name__}.script", "tirx.nki.")
    register_script_namespace("nki", load=script_namespace)
    register_tir_pipeline("trn", _pipeline)


def script_namespaces(op_wrapper: "Wrap | None" = None) -> dict[str, object]:
    """Return what Tx.nki is, by name; `op_wrapper` is put around each function that builds a call."""
    from tvm.backend.trn import script  # noqa: PLC0415 - tables load at their first use

    return dict(script.TABLES.namespaces(op_wrapper))


def script_namespace(op_wrapper: "Wrap | None" = None) -> object:
    """Return what Tx.nki is; `op_wrapper` is put around each function that builds a call."""
    return script_namespaces(op_wrapper=op_wrapper)["nki"]


def _pipeline() -> "Pipeline":
    from tvm.backend.trn.pipeline import trn_pipeline  # noqa: PLC0415 - tables load at their first use

    return trn_pipeline()
