"""Wrappers of the external tools that compile, link and pack kernels."""

# As in the seed, the name libinfo is the function; its module is in sys.modules.
from tvm.support.libinfo import describe, libinfo

__all__ = ["describe", "libinfo"]
