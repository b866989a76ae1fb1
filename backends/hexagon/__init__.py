"""Qualcomm Hexagon: target tags."""

from tvm.backend.package import lazy, submodules
from tvm.target import register_tag_table

__all__ = ["register_backend"]

_THERE = frozenset({"target_tags"})

__getattr__ = submodules(__name__, there=_THERE)


def register_backend() -> None:
    """Register all that the backend has; its tables are read at their first use."""
    register_tag_table("qcom/hexagon-", lazy(f"{__name__}.target_tags", "TAGS"))
