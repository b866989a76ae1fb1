"""A backend for the imaginary chip foo: a target kind, an operation, a script namespace, a code generator."""

from types import SimpleNamespace

from tvm import backend
from tvm.ir import Call, Op, register_op
from tvm.script.namespace import register_script_namespace
from tvm.target import TargetKind, register_target_kind
from tvm.tirx.codegen import register_code_generator

FOO = TargetKind(name="foo", device_type=12, keys=("foo",), options={"tiles": "int"}, defaults={"tiles": 4})
BARRIER = Op("tirx.foo.barrier", script_name="foo.barrier")


def register_backend() -> None:
    """Register everything; tvm.backend.load("foo") calls it, and undoes all of it if it raises."""
    register_target_kind(FOO)
    register_op(BARRIER)
    register_script_namespace("foo", SimpleNamespace(barrier=lambda: Call(BARRIER)))
    register_code_generator("foo", generate)


def generate(call: Call, tiles: int) -> str:
    """Return a call as the text that foo's compiler reads."""
    return f"{call.op.name.removeprefix('tirx.')}<{tiles}>();"


def autoload() -> None:
    """Load this backend: the entry point."""
    backend.load("foo")
