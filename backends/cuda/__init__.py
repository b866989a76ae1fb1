"""NVIDIA CUDA: script namespaces, target tags, devices."""

from functools import partial
from typing import TYPE_CHECKING

from tvm.backend.package import lazy, register_devices, register_operations, submodules
from tvm.script.namespace import register_script_namespace
from tvm.target import register_tag_table

if TYPE_CHECKING:
    from tvm.script.table import Wrap

__all__ = ["register_backend", "script_namespace", "script_namespaces"]

_THERE = frozenset({"device", "ptx", "rows", "script", "target_tags"})
_LATER = frozenset(
    {"codegen", "cpp", "emulate", "iket", "lang", "op", "tile_primitive", "transforms", "export_cuda_host"}
)
_OPERATIONS = ("tirx.cuda.", "tirx.mma_", "tirx.nvshmem.", "tirx.ptx_legacy.", "tirx.s_tir.", "tirx.timer_")

__getattr__ = submodules(__name__, there=_THERE, later=_LATER)


def register_backend() -> None:
    """Register all that the backend has; its tables are read at their first use."""
    register_devices("cuda", f"{__name__}.device")
    register_tag_table("nvidia/", lazy(f"{__name__}.target_tags", "TAGS"))
    register_operations(f"{__name__}.script", *_OPERATIONS)
    for name in ("cuda", "nvshmem", "ptx_legacy", "ptx", "s_tir"):
        register_script_namespace(name, load=partial(_namespace, name))


def script_namespaces(*, op_wrapper: "Wrap | None" = None) -> dict[str, object]:
    """Return what Tx.cuda, Tx.nvshmem, Tx.ptx_legacy, Tx.ptx and Tx.s_tir are, by name.

    `op_wrapper` is put around each function that builds a call.
    """
    from tvm.backend.cuda import script  # noqa: PLC0415 - tables load at their first use

    return dict(script.namespaces(op_wrapper))


def script_namespace(*, op_wrapper: "Wrap | None" = None) -> object:
    """Return what Tx.cuda is; `op_wrapper` is put around each function that builds a call."""
    return script_namespaces(op_wrapper=op_wrapper)["cuda"]


def _namespace(name: str) -> object:
    return script_namespaces()[name]
