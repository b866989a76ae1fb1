"""The script namespace Tx.nki."""

from functools import cache

from tvm.backend.trn import rows
from tvm.script.table import Table, TableNamespace, Tables, Wrap

TABLES = Tables((Table(name="nki", members=rows.MEMBERS, kinds={}),))


_shared = cache(TABLES.namespaces)


def namespaces(wrap: Wrap | None = None) -> dict[str, TableNamespace]:
    """Return the namespaces by name, the same at each call; with `wrap`, which is put around each builder, new ones."""
    return _shared() if wrap is None else TABLES.namespaces(wrap)
