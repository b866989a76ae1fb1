"""How kernels are built."""
