"""The script namespace Tx.nki."""

from tvm.backend.trn import rows
from tvm.script.table import Table, Tables

TABLES = Tables((Table(name="nki", members=rows.MEMBERS, kinds={}),))
