"""The parts of `tvm.support.cache`."""
