"""Build a user's own sources with the toolchain of the image this runs in: `python -m tvm.matrix.builders KIND ...`."""
