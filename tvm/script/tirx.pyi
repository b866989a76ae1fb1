# For type checkers: the namespaces that this distribution's backends add to the kernel language.

from tvm.backend.cuda.namespaces import CudaNamespace, NvshmemNamespace, PtxLegacyNamespace, STirNamespace
from tvm.backend.cuda.ptx import PtxNamespace
from tvm.backend.metal.namespaces import MetalNamespace
from tvm.backend.trn.namespaces import NkiNamespace

cuda: CudaNamespace
metal: MetalNamespace
nki: NkiNamespace
nvshmem: NvshmemNamespace
ptx: PtxNamespace
ptx_legacy: PtxLegacyNamespace
s_tir: STirNamespace

def __getattr__(name: str) -> object: ...
