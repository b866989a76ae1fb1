"""Changes of matrix.yaml by a program: only the words that change are replaced, comments and layout stay as they are."""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

import yaml

from tvm.error import ConfigError
from tvm.matrix.engine.locks import locked
from tvm.matrix.results import write_atomic


def rewrite(file: Path, change: Callable[[str], str]) -> bool:
    """Change a file's text in one step, one program after the other; say whether anything differs now."""
    name = hashlib.sha256(str(file.resolve()).encode()).hexdigest()[:16]
    with locked(f"edit-{name}", lambda _text: None):
        before = file.read_text(encoding="utf-8")
        after = change(before)
        if after != before:
            write_atomic(file, after)
    return after != before


def replace_value(text: str, path: Sequence[str], value: str) -> str:
    """Return the text with another value at a path of keys; quotes stay as they were."""
    node = _find(yaml.compose(text, Loader=yaml.SafeLoader), path)
    if not isinstance(node, yaml.ScalarNode):
        msg = f"{'.'.join(path)} holds no single value"
        raise ConfigError(msg)
    quote = node.style if node.style in {"'", '"'} else ""
    return f"{text[: node.start_mark.index]}{quote}{value}{quote}{text[node.end_mark.index :]}"


def append_entry(text: str, section: str, entry: str) -> str:
    """Return the text with an entry (indented lines) behind the last one of a top-level mapping."""
    node = _find(yaml.compose(text, Loader=yaml.SafeLoader), [section])
    if not isinstance(node, yaml.MappingNode) or node.flow_style or not node.value:
        msg = f"{section} is not written as a block of indented entries, so nothing can be added to it"
        raise ConfigError(msg, fix=f"write each entry of {section} on lines of its own")
    end = text.find("\n", _end(node))
    return f"{text}\n{entry}" if end < 0 else f"{text[: end + 1]}{entry}{text[end + 1 :]}"


def _find(node: yaml.Node | None, path: Sequence[str]) -> yaml.Node | None:
    for key in path:
        pairs = node.value if isinstance(node, yaml.MappingNode) else []
        node = next((value for name, value in pairs if name.value == key), None)
    return node


def _end(node: yaml.Node) -> int:
    """Return where the last word of a node ends: a block's own mark lies behind the comments that follow it."""
    match node:
        case yaml.MappingNode(flow_style=False) if node.value:
            return _end(node.value[-1][1])
        case yaml.SequenceNode(flow_style=False) if node.value:
            return _end(node.value[-1])
        case _:
            return int(node.end_mark.index)
