"""The kernels of examples/kernels: their inputs, what NumPy says, and how far a result is from it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]
# A word that a kernel is called with: a buffer to read, the result to write, a size, a float.
Word = Array | int | float | None

# Beside the rounding of float32 results near 1, sums over a few hundred terms in another order than NumPy's.
TOLERANCE = 1e-5


@dataclass(frozen=True, kw_only=True)
class Kernel:
    """One function of examples/kernels. `words` are its arguments in order; None stands for the result's buffer."""

    name: str
    words: tuple[Word, ...]
    expected: Array

    @property
    def source(self) -> str:
        """The source file, relative to the root of the tree."""
        return f"examples/kernels/{self.name}.c"


def softmax() -> Kernel:
    """Rows whose largest values would overflow a naive exp."""
    x = _random(37, 129) * np.float32(20) + np.float32(90)
    e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    return Kernel(
        name="softmax", words=(x, None, 37, 129), expected=(e / e.sum(axis=1, keepdims=True)).astype(np.float32)
    )


def layer_norm() -> Kernel:
    """Rows with a mean far from zero."""
    x, gamma, beta, eps = _random(23, 200) + np.float32(8), _random(200), _random(200), 1e-5
    wide = x.astype(np.float64)
    mean, variance = wide.mean(axis=1, keepdims=True), wide.var(axis=1, keepdims=True)
    expected = ((wide - mean) / np.sqrt(variance + eps) * gamma + beta).astype(np.float32)
    return Kernel(name="layer_norm", words=(x, gamma, beta, None, 23, 200, eps), expected=expected)


def matmul() -> Kernel:
    """Sizes that are no multiples of a tile."""
    a, b = _random(45, 70), _random(70, 33)
    expected = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32)
    return Kernel(name="matmul", words=(a, b, None, 45, 70, 33), expected=expected)


KERNELS: dict[str, Callable[[], Kernel]] = {"softmax": softmax, "layer_norm": layer_norm, "matmul": matmul}
NAMES = tuple(KERNELS)
SOURCES = tuple(f"examples/kernels/{name}.c" for name in NAMES)


def worst(kernel: Kernel, result: Array) -> float:
    """Return the largest absolute difference from NumPy; fail if it is beyond the tolerance, or if nothing was computed."""
    assert result.shape == kernel.expected.shape
    assert np.isfinite(result).all()
    error = float(np.abs(result.astype(np.float64) - kernel.expected).max())
    scale = max(1.0, float(np.abs(kernel.expected).max()))
    assert error <= TOLERANCE * scale, f"{kernel.name}: {error:.3g} from NumPy, allowed are {TOLERANCE * scale:.3g}"
    return error


def verdict(kernel: Kernel, result: Array) -> str:
    """Return what was compared, as the detail of an evidence."""
    shape = "x".join(map(str, kernel.expected.shape))
    return f"{kernel.name} {shape} float32: max abs error {worst(kernel, result):.1e} against NumPy"


def save(array: Array, path: Path) -> Path:
    """Write the bytes of an array."""
    array.tofile(path)
    return path


def _random(*shape: int) -> Array:
    # One seed for each shape: every run, and every kernel, sees the same numbers.
    return np.random.default_rng(shape).standard_normal(shape, dtype=np.float32)
