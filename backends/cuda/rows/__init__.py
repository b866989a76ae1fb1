"""The members of the CUDA script namespaces as tables."""
