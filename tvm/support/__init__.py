"""Wrappers of the external tools that compile, link and pack kernels."""
