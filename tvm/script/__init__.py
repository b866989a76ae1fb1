"""What a user imports: `from tvm.script import tirx as Tx`."""
