"""Names of the language that the example uses."""

import nki

float32, sbuf, add = "float32", "sbuf", "add"


def ndarray(shape: tuple[int, ...], *, dtype: str, buffer: str) -> str:
    """Record an allocation."""
    nki.calls.append(f"ndarray {list(shape)} {dtype} {buffer}")
    return buffer
