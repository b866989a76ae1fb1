"""The script namespaces of CUDA: Tx.cuda, Tx.nvshmem, Tx.ptx_legacy, Tx.ptx, Tx.s_tir."""

from collections.abc import Mapping

from tvm.backend.cuda.ptx import PtxNamespace
from tvm.backend.cuda.rows import cuda as cuda_rows
from tvm.backend.cuda.rows import legacy, nvshmem as nvshmem_rows
from tvm.ir import Op
from tvm.script.member import operations
from tvm.script.table import Table, TableNamespace, Wrap

TABLES = (
    Table(name="cuda", members=cuda_rows.MEMBERS, kinds=cuda_rows.KINDS),
    Table(name="nvshmem", members=nvshmem_rows.MEMBERS, kinds={}),
    Table(name="ptx_legacy", members=legacy.PTX_LEGACY, kinds={}),
    Table(name="s_tir", members=legacy.S_TIR, kinds={}),
)


def script_namespaces(*, op_wrapper: Wrap | None = None) -> dict[str, object]:
    """Make the namespaces by name; `op_wrapper` is put around each function."""
    made: dict[str, object] = {table.name: TableNamespace(table, wrap=op_wrapper) for table in TABLES}
    return {"cuda": made["cuda"], "nvshmem": made["nvshmem"], "ptx_legacy": made["ptx_legacy"], "ptx": PtxNamespace(), "s_tir": made["s_tir"]}
