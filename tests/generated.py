"""Writes the types and the pages of the script namespaces from their tables: `python -m tests.generated`.

A unit test compares what is committed with what it would write.
"""

import inspect
import json
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from tvm.script.form import Form, read
from tvm.script.member import Member
from tvm.script.table import Table, Tables

ROOT = Path(__file__).parents[1]
BACKENDS = ("cuda", "metal", "trn")
WIDTH = 120

_HEAD = """# Types of the script namespaces. Written by `python -m tests.generated` from the tables.

{imports}
"""
# Module, and the names in it that types may use.
_IMPORTS = (
    ("enum", ("Enum",)),
    ("typing", ("Literal",)),
    ("tvm.ir", ("Expr", "PrimType")),
    ("tvm.script.kinds", ("Pointer", "Value")),
)


def files() -> dict[Path, str]:
    """Return every file with its text."""
    types = {ROOT / "backends" / backend / "namespaces.pyi": stub(backend) for backend in BACKENDS}
    return {**types, **{ROOT / "docs" / "backends" / f"{table.name}.md": page(table) for table in _tables()}}


def _tables() -> Iterator[Table]:
    for backend in BACKENDS:
        yield from _of(backend).tables


def _of(backend: str) -> Tables:
    tables: Tables = import_module(f"tvm.backend.{backend}.script").TABLES
    return tables


def page(table: Table) -> str:
    """Return the page of a namespace: each member with its signature, what it does and where that is said."""
    lines = [f"# Tx.{table.name}", "", "| member | what it does | source |", "|---|---|---|"]
    for member in sorted(table.members, key=lambda member: member.name):
        call = f"{member.name}{read(member, table.kinds).signature}"
        lines.append(" | ".join(["| `" + call + "`", _cell(member.doc), _cell(member.source) + " |"]))
    return "\n".join([*lines, ""])


def _cell(text: str) -> str:
    # A bar would end the cell, and underscores at the ends of a word would make it bold.
    return text.replace("|", "\\|").replace("__", "\\_\\_").replace(" * ", " \\* ")


def stub(backend: str) -> str:
    """Return the text of the types of a backend's namespaces."""
    classes = "\n".join(text for table in _of(backend).tables for text in _classes(table, ""))
    return _HEAD.format(imports=_imports(classes)) + classes


def _imports(text: str) -> str:
    words = set(text.replace("[", " ").replace("]", " ").replace(",", " ").replace(":", " ").replace(")", " ").split())
    lines = [
        f"from {module} import {', '.join(used)}"
        for module, names in _IMPORTS
        if (used := [name for name in names if name in words])
    ]
    standard = [line for line in lines if not line.startswith("from tvm")]
    own = [line for line in lines if line.startswith("from tvm")]
    return "\n".join([*standard, *([""] if standard else []), *own, ""])


def _classes(table: Table, inner: str) -> list[str]:
    """Return the classes of a namespace: those of inner ones first."""
    rows = table.below(inner)
    inside = [name for name in rows if table.below(f"{inner}{name}.")]
    lines = [f"class {_class(table, inner)}:"]
    if own := next((member for member in table.members if f"{member.name}." == inner), None):
        lines += _function(table, own, "__call__", "self")
    for name, member in sorted(rows.items()):
        if name in inside:
            lines += ["    @property", f"    def {name}(self) -> {_class(table, f'{inner}{name}.')}: ..."]
        elif member is not None:
            lines += ["    @staticmethod", *_function(table, member, name)]
    return [text for name in inside for text in _classes(table, f"{inner}{name}.")] + ["\n".join([*lines, ""])]


def _class(table: Table, inner: str) -> str:
    words = f"{table.name}_{inner}".replace(".", "_").strip("_").split("_")
    return "".join(word.capitalize() for word in words) + "Namespace"


def _function(table: Table, member: Member, name: str, *first: str) -> list[str]:
    form = read(member, table.kinds)
    parameters = [*first, *_parameters(form)]
    line = f"    def {name}({', '.join(parameters)}) -> Expr: ..."
    if len(line) <= WIDTH:
        return [line]
    return [f"    def {name}(", *(f"        {parameter}," for parameter in parameters), "    ) -> Expr: ..."]


def _parameters(form: Form) -> list[str]:
    parameters = list(form.signature.parameters.values())
    texts = [_parameter(parameter, form) for parameter in parameters]
    named = [place for place, parameter in enumerate(parameters) if parameter.kind is parameter.KEYWORD_ONLY]
    if named and not any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters):
        texts.insert(named[0], "*")
    return texts


def _parameter(parameter: inspect.Parameter, form: Form) -> str:
    kind = form.kinds[parameter.name].stub
    if parameter.default is parameter.empty:
        star = "*" if parameter.kind is parameter.VAR_POSITIONAL else ""
        return f"{star}{parameter.name}: {kind}"
    optional = f"{kind} | None" if parameter.default is None and kind != "object" else kind
    return f"{parameter.name}: {optional} = {_literal(parameter.default)}"


def _literal(value: object) -> str:
    return json.dumps(value) if isinstance(value, str) else repr(value)


def main() -> int:
    """Write the files."""
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
