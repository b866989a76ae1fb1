"""The script namespaces of CUDA: Tx.cuda, Tx.nvshmem, Tx.ptx_legacy, Tx.ptx, Tx.s_tir."""

from functools import cache

from tvm.backend.cuda.ptx import PtxNamespace
from tvm.backend.cuda.rows import cuda, legacy, nvshmem
from tvm.script.table import Table, Tables, Wrap

TABLES = Tables(
    (
        Table(name="cuda", members=cuda.MEMBERS, kinds=cuda.KINDS),
        Table(name="nvshmem", members=nvshmem.MEMBERS, kinds={}),
        Table(name="ptx_legacy", members=legacy.PTX_LEGACY, kinds={}),
        Table(name="s_tir", members=legacy.S_TIR, kinds={}),
    )
)
# The order in which apache-tvm registers them.
NAMES = ("cuda", "nvshmem", "ptx_legacy", "ptx", "s_tir")


def namespaces(wrap: Wrap | None = None) -> dict[str, object]:
    """Return the namespaces by name, the same at each call; with `wrap`, which is put around each builder, new ones."""
    return _shared() if wrap is None else _made(wrap)


def _made(wrap: Wrap | None = None) -> dict[str, object]:
    made = {**TABLES.namespaces(wrap), "ptx": PtxNamespace()}
    return {name: made[name] for name in NAMES}


_shared = cache(_made)
