"""Instructions that the example uses."""

import nki


def dma_copy(*, dst: object, src: object) -> None:
    """Record a copy."""
    nki.calls.append(f"dma_copy {dst} <- {src}")


def tensor_tensor(*, dst: object, data1: object, data2: object, op: str) -> None:
    """Record an instruction of the vector engine."""
    nki.calls.append(f"tensor_tensor {dst} <- {op} {data1} {data2}")
