"""Reads what a Python file imports and calls, without running it."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Source:
    """One module of the tree: its file, its dotted name, its syntax tree."""

    path: Path
    name: str
    tree: ast.Module

    @property
    def package(self) -> str:
        """The dotted name that a relative import starts from."""
        return self.name if self.path.name == "__init__.py" else self.name.rpartition(".")[0]


def sources(root: Path, *folders: str) -> list[Source]:
    """Return every Python file of the folders. tvm/backend/NAME, a link, is read once, as backends/NAME."""
    files = [path for folder in folders for path in (root / folder).rglob("*.py")]
    real = sorted(path for path in files if not any(parent.is_symlink() for parent in path.parents))
    return [source(path, root) for path in real]


def source(path: Path, root: Path) -> Source:
    parts = path.relative_to(root).with_suffix("").parts
    parts = parts[:-1] if parts[-1] == "__init__" else parts
    parts = ("tvm", "backend", *parts[1:]) if parts[0] == "backends" else parts
    return Source(path=path, name=".".join(parts), tree=ast.parse(path.read_bytes()))


def imported(module: Source) -> Iterator[str]:
    """Give the dotted name of everything a module imports, inside functions and by import_module("literal") too."""
    for node in ast.walk(module.tree):
        match node:
            case ast.Import():
                yield from (alias.name for alias in node.names)
            case ast.ImportFrom():
                base = ".".join(filter(None, [_relative(module.package, node.level), node.module]))
                # `from tvm import error` imports a module, `from tvm.error import TVMError` a name of one: give both spellings.
                yield from (f"{base}.{alias.name}" for alias in node.names)
            case ast.Call(args=[ast.Constant(value=str(name)), *_]) if called(node).endswith(
                ("import_module", "__import__")
            ):
                yield name


def _relative(package: str, level: int) -> str:
    parts = package.split(".")
    return ".".join(parts[: len(parts) - level + 1]) if level else ""


def calls(module: Source) -> Iterator[ast.Call]:
    """Give every call in a module."""
    return (node for node in ast.walk(module.tree) if isinstance(node, ast.Call))


def called(call: ast.Call) -> str:
    """Return how a call names what it calls: os.system, extractall; "" for what is no name."""
    match call.func:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id=owner), attr=name):
            return f"{owner}.{name}"
        case ast.Attribute(attr=name):
            return name
        case _:
            return ""
