"""The script namespace Tx.nki."""

from functools import cache

from tvm.backend.trn import rows
from tvm.script.table import Table, TableNamespace, Tables, Wrap

TABLES = Tables((Table(name="nki", members=rows.MEMBERS, kinds={}),))


@cache
def namespaces(wrap: Wrap | None = None) -> dict[str, TableNamespace]:
    """Return the namespaces by name, the same at each call; `wrap` is put around each function that builds a call."""
    return TABLES.namespaces(wrap)
