"""result = a + b in NKI, for one tile: 128 partitions of float32, the sum by the vector engine.

a, b, result: [128, columns] float32 in HBM. The file is for the vendor's compiler (`nki.compiler`): it takes a plain function whose
tensors are annotated and whose result is a parameter.
"""

import nki.isa as nisa
import nki.language as nl
from nki.compiler.kernel_builder.tensor import Tensor


def vector_add(a: Tensor, b: Tensor, result: Tensor) -> None:
    """Add one tile: HBM to SBUF, the sum in SBUF, back to HBM."""
    left = nl.ndarray(a.shape, dtype=nl.float32, buffer=nl.sbuf)
    right = nl.ndarray(b.shape, dtype=nl.float32, buffer=nl.sbuf)
    total = nl.ndarray(a.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=left, src=a)
    nisa.dma_copy(dst=right, src=b)
    nisa.tensor_tensor(dst=total, data1=left, data2=right, op=nl.add)
    nisa.dma_copy(dst=result, src=total)
