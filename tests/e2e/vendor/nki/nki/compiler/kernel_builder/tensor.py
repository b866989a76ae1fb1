"""The tensors of a kernel's signature."""

from dataclasses import dataclass


@dataclass
class Tensor:
    """A tensor in HBM."""

    name: str
    shape: tuple[int, ...]

    def __str__(self) -> str:
        return self.name
