"""The script namespace Tx.metal."""

from tvm.backend.metal import rows
from tvm.script.table import Table, Tables

TABLES = Tables((Table(name="metal", members=rows.MEMBERS, kinds={}),))
