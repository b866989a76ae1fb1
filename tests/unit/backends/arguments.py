"""Arguments that members take, drawn by the kinds that their rows name, and how a call is made again from what it holds."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from importlib import import_module
from typing import Any, cast

from hypothesis import strategies as st

from tvm.ir import Call, Expr, FloatImm, IntImm, PointerType, PrimType, StringImm, Var
from tvm.script.member import Member
from tvm.script.table import Table, Tables

BACKENDS = ("cuda", "metal", "trn")


class Event(IntEnum):
    """Events of a profile."""

    LOAD = 0
    STORE = 7


@dataclass(frozen=True)
class Buffer:
    """What has a data pointer."""

    data: Expr


def rows() -> Iterator[tuple[Table, Member]]:
    """Give every row of every table."""
    for backend in BACKENDS:
        tables: Tables = import_module(f"tvm.backend.{backend}.script").TABLES
        yield from ((table, member) for table in tables.tables for member in table.members)


def parameters(member: Member) -> list[tuple[str, ast.Call | None, str]]:
    """Return name, kind and how it is passed ("", "*" or "=") of each parameter that a row names."""
    text = member.signature.replace(".", "_", member.name.count("."))
    arguments = cast("ast.FunctionDef", ast.parse(f"def {text}: ...").body[0]).args
    several = [(arguments.vararg, "*")] if arguments.vararg else []
    found = [*((arg, "") for arg in arguments.args), *several, *((arg, "=") for arg in arguments.kwonlyargs)]
    return [(arg.arg, cast("ast.Call | None", arg.annotation), how) for arg, how in found]


SCALARS = ("bool", "int32", "uint32", "int64", "uint64", "float16", "bfloat16", "float32")
variables = st.sampled_from(SCALARS).map(lambda dtype: Var("v", dtype))
numbers = st.one_of(
    st.integers(-(2**63), 2**64 - 1),
    st.floats(allow_nan=False),
    st.booleans(),
    st.integers(0, 255).map(lambda value: IntImm("uint8", value)),
    st.just(FloatImm("float16", 0.5)),
)
values: st.SearchStrategy[object] = variables | numbers
pointers: st.SearchStrategy[object] = st.sampled_from(
    [
        Var("p", PointerType(PrimType("float32"), "shared")),
        Var("p", "handle"),
        Buffer(Var("p", PointerType(PrimType("uint32")))),
    ]
)
texts = st.text(max_size=8)
ints = st.integers(0, 9)
# How each kind of parameter is drawn; one(...) and the powers are read from the row.
DRAWN: dict[str, st.SearchStrategy[Any]] = {
    "value": values,
    "any_value": values | texts,
    "pointer": pointers,
    "barrier": pointers | st.just(Var("address", "uint32")),
    "element": variables,
    "waited": st.just(Var("word", "uint32")),
    "text": texts | texts.map(StringImm),
    "identifier": st.sampled_from(["f", "helper_2", "_g"]),
    "special_register": st.sampled_from(["clusterid.x", "laneid", "lanemask_lt"]),
    "event": st.sampled_from(Event) | st.integers(0, 1023),
    "flag": st.booleans() | st.booleans().map(lambda bit: IntImm("bool", bit)),
    "dtype": st.sampled_from(["float32", "int8", "float16x2", PrimType("uint32")]),
    "result_type": st.sampled_from(["void", "handle", "float32", PrimType("int32")]),
    "mma_type": st.sampled_from(["float16", "e4m3", ".s8"]),
}


def drawn(kind: ast.Call | None) -> st.SearchStrategy[Any]:
    """Return what a parameter of a kind takes."""
    if kind is None:
        return values
    name, bounds = ast.unparse(kind.func), [ast.literal_eval(bound) for bound in kind.args]
    match name:
        case "one":
            return st.sampled_from(bounds)
        case "integer":
            return st.integers(*bounds) if len(bounds) > 1 else st.integers(bounds[0] if bounds else -9, 4096)
        case "integer_value":
            return st.integers(*bounds) | variables
        case "power_of_two":
            return st.sampled_from([2**n for n in range(10) if bounds[0] <= 2**n <= bounds[1]])
        case _:
            return DRAWN[name]


def script_arguments(call: Call, member: Member) -> tuple[list[object], dict[str, object]]:
    """Return what a script would pass to the member that a call is printed as, to make the call again."""
    names = parameters(member)
    given: list[object] = list(call.args)
    if " type[" in member.signature or member.name == "mma" or member.name in {"ldmatrix", "cp_async_raw"}:
        given.insert(0, call.dtype)
    named = [name for name, _, how in names if how == "="]
    if not named or len(given) != len(names):
        return given, {}
    plain = len(names) - len(named)
    return given[:plain], dict(zip(named, given[plain:], strict=True))
