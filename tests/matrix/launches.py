"""How the CUDA kernels of examples/kernels are launched, and what NumPy says they compute."""

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

AnyArray = npt.NDArray[Any]
Scalar = ctypes.c_int | ctypes.c_size_t
# A word of a launch: a buffer to read, a number, or None for the result's buffer, which is zero before.
Word = AnyArray | Scalar | None


@dataclass(frozen=True, kw_only=True)
class Launch:
    """One launch: blocks (x, y), threads of a block, arguments, the result, and how far from it one may be."""

    blocks: tuple[int, int]
    threads: int
    words: tuple[Word, ...]
    expected: AnyArray
    tolerance: float = 0.0


def vector_add() -> Launch:
    """Add: each sum is exact to the last bit."""
    a, b = _random(10_007), _random(10_007, seed=1)
    return Launch(blocks=(16, 1), threads=128, words=(a, b, None, ctypes.c_size_t(a.size)), expected=a + b)


def softmax() -> Launch:
    """Take rows whose largest values would overflow a naive exp. Fast math's exp is less exact than NumPy's."""
    x = _random(37, 129) * np.float32(20) + np.float32(90)
    e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    expected = (e / e.sum(axis=1, keepdims=True)).astype(np.float32)
    return Launch(blocks=(37, 1), threads=64, words=(x, None, ctypes.c_int(129)), expected=expected, tolerance=1e-5)


def matmul_mma() -> Launch:
    """Multiply: products of fp16 are exact in float32; the sums differ by their order."""
    m, n, k = 128, 192, 96
    a, b = _random(m, k).astype(np.float16), _random(k, n).astype(np.float16)
    expected = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32)
    words = (a, b, None, ctypes.c_int(m), ctypes.c_int(n), ctypes.c_int(k))
    return Launch(blocks=(n // 64, m // 64), threads=128, words=words, expected=expected, tolerance=1e-4)


def histogram() -> Launch:
    """Count: exact as well."""
    data = np.random.default_rng(0).integers(0, 256, 100_003, dtype=np.uint8)
    expected = np.bincount(data, minlength=256).astype(np.uint32)
    return Launch(blocks=(8, 1), threads=256, words=(data, None, ctypes.c_size_t(data.size)), expected=expected)


LAUNCHES: dict[str, Callable[[], Launch]] = {
    "vector_add": vector_add,
    "softmax": softmax,
    "matmul_mma": matmul_mma,
    "histogram": histogram,
}


def compare(launch: Launch, result: AnyArray) -> str:
    """Return how far a result is from NumPy's; fail if that is too far."""
    error = float(np.abs(result.astype(np.float64) - launch.expected).max())
    scale = max(1.0, float(np.abs(launch.expected.astype(np.float64)).max()))
    assert error <= launch.tolerance * scale, f"{error:.3g} from NumPy, allowed are {launch.tolerance * scale:.3g}"
    shape = "x".join(map(str, launch.expected.shape))
    return f"{shape} {launch.expected.dtype}: max abs error {error:.1e} against NumPy"


def _random(*shape: int, seed: int = 0) -> npt.NDArray[np.float32]:
    return np.random.default_rng((seed, *shape)).standard_normal(shape, dtype=np.float32)
