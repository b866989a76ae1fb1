"""What the benchmarks share: medians, and lines that compare two of them."""

import os
import statistics
from collections.abc import Callable

# What is measured is the tools; bench/cache.py turns the cache on where it is the cache.
os.environ["TVM_COMPILE_CACHE"] = "off"


def median(measure: Callable[[], float], *, runs: int) -> float:
    """Return the median of several measurements, after one that warms caches and does not count."""
    measure()
    return statistics.median(measure() for _ in range(runs))


def report(what: str, seconds: float, *, against: str, base: float, limit: float) -> bool:
    """Print seconds, their ratio to `base` and whether they are within `limit`; return that."""
    kept = seconds <= limit
    verdict = "ok" if kept else "MISSED"
    print(f"{what}: {seconds:.3f} s, {seconds / base:.2f} x {against} ({base:.3f} s), limit {limit:.3f} s: {verdict}")
    return kept
