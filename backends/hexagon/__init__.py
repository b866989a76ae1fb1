"""Qualcomm Hexagon: target tags."""

from typing import TYPE_CHECKING

from tvm.backend.package import lazy, submodule
from tvm.target import register_tag_table

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["register_backend"]

_THERE = frozenset({"target_tags"})


def register_backend() -> None:
    """Register all that the backend has; its tables are read at their first use."""
    register_tag_table("qcom/hexagon-", lazy(f"{__name__}.target_tags", "TAGS"))


def __getattr__(name: str) -> "ModuleType":
    """Import a submodule at its first use."""
    return submodule(__name__, name, there=_THERE)
