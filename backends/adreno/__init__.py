"""Qualcomm Adreno GPUs: target tags, on top of OpenCL and Vulkan."""

from typing import TYPE_CHECKING

from tvm.backend import load
from tvm.backend.package import lazy, submodule
from tvm.target import register_tag_table

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["register_backend"]

_THERE = frozenset({"target_tags"})
_LATER = frozenset({"pipeline"})


def register_backend() -> None:
    """Register all that the backend has; its tables are read at their first use."""
    load("opencl")
    load("vulkan")
    register_tag_table("qcom/adreno-", lazy(f"{__name__}.target_tags", "TAGS"))


def __getattr__(name: str) -> "ModuleType":
    """Import a submodule at its first use."""
    return submodule(__name__, name, there=_THERE, later=_LATER)
