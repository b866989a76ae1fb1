"""Tags of Apple GPUs. Source: Metal Feature Set Tables (threads and memory of a threadgroup)."""

from collections.abc import Mapping


def _apple(cpu: str, threads: int) -> Mapping[str, object]:
    return {
        "kind": "metal",
        "max_threads_per_block": threads,
        "max_shared_memory_per_block": 32 << 10,
        "thread_warp_size": 32,
        "host": {"kind": "llvm", "mtriple": "arm64-apple-macos", "mcpu": cpu},
    }


TAGS: Mapping[str, Mapping[str, object]] = {
    "apple/m1-gpu": _apple("apple-m1", 1024),
    # For kernels whose registers leave no room for more threads.
    "apple/m1-gpu-restricted": _apple("apple-m1", 256),
    "apple/m2-gpu": _apple("apple-m2", 1024),
}
