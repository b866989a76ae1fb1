"""Errors that are also the ValueError that apache-tvm raises for a wrong argument."""

from tvm.error import ConfigError


class CudaArgumentError(ConfigError, ValueError):
    """An argument of a CUDA function has a value that it does not take."""
