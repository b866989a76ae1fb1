"""Run kernels of this machine: loaded by ctypes."""

import ctypes
from pathlib import Path

import numpy as np

from tests.matrix.kernels import Array, Kernel, Word


def run(library: Path, kernel: Kernel) -> Array:
    """Load a shared library, call a kernel of it, and return what it computed."""
    result: Array = np.zeros(kernel.expected.shape, dtype=np.float32)
    function = getattr(ctypes.CDLL(str(library.absolute())), kernel.name)
    function.restype = None
    function(*(_argument(word, result) for word in kernel.words))
    return result


def _argument(word: Word, result: Array) -> ctypes.c_void_p | ctypes.c_ssize_t | ctypes.c_float:
    match word:
        case None:
            return ctypes.c_void_p(result.ctypes.data)
        case int():
            return ctypes.c_ssize_t(word)
        case float():
            return ctypes.c_float(word)
        case _:
            return ctypes.c_void_p(word.ctypes.data)
