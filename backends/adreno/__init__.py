"""Qualcomm Adreno GPUs: target tags, on top of OpenCL and Vulkan."""

from tvm.backend import load
from tvm.backend.package import lazy, submodules
from tvm.target import register_tag_table

__all__ = ["register_backend"]

_THERE = frozenset({"target_tags"})
_LATER = frozenset({"pipeline"})

__getattr__ = submodules(__name__, there=_THERE, later=_LATER)


def register_backend() -> None:
    """Register all that the backend has; its tables are read at their first use."""
    load("opencl")
    load("vulkan")
    register_tag_table("qcom/adreno-", lazy(f"{__name__}.target_tags", "TAGS"))
