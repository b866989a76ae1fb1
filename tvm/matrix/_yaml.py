"""YAML read strictly: what two readers could take differently is refused, and every value keeps its line."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from tvm.error import ConfigError

Key = tuple[str | int, ...]

_WHOLE = re.compile(r"0|[1-9][0-9]{0,17}")
_BOOLEAN = {"true": True, "false": False}
# What YAML 1.2 takes as a number or YAML 1.1 as a truth value, though PyYAML resolves it to text.
_LOOKS_OTHER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|0o[0-7]+|[yYnN]")
_TAG_PREFIX = "tag:yaml.org,2002:"
_TEXT_TAG = f"{_TAG_PREFIX}str"
_NULL_TAG = f"{_TAG_PREFIX}null"
_MERGE_TAG = f"{_TAG_PREFIX}merge"


@dataclass(frozen=True, kw_only=True, order=True)
class Problem:
    """One mistake: its line (from 1), the path of the key it stands at, and what to do about it."""

    line: int
    path: Key
    message: str


@dataclass(frozen=True, kw_only=True)
class Unquoted:
    """A plain scalar that is no text, no whole number and no truth value: 12.10, 22:30, no, 1e3."""

    text: str


@dataclass(frozen=True, kw_only=True)
class Document:
    """A read document: its value, the line of every key by path, the plain scalars as written, and the mistakes."""

    value: Any
    lines: Mapping[Key, int]
    plain: Mapping[Key, str]
    problems: tuple[Problem, ...]

    def line(self, path: Key) -> int:
        """Return the line of a key, or of the nearest key above it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


class _Loader(yaml.SafeLoader):
    """The safe loader, but aliases, anchors and tags are noted and taken out, so that no cycle can form."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.refused: dict[int, str] = {}

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        # The stubs leave the event methods untyped.
        events: Any = self
        event = events.peek_event()
        if isinstance(event, yaml.AliasEvent):
            return self._placeholder(events.get_event())
        why = _decoration(event)
        event.anchor = None
        if why:
            event.tag = None
        if why and isinstance(event, yaml.ScalarEvent):
            event.implicit = (True, True)
        node = super().compose_node(parent, index)
        if why:
            self.refused[id(node)] = why
        return node

    def _placeholder(self, alias: Any) -> yaml.Node:
        node = yaml.ScalarNode(_NULL_TAG, "", alias.start_mark, alias.end_mark)
        self.refused[id(node)] = f"alias *{alias.anchor} is refused: write the value out"
        return node


def _decoration(event: Any) -> str:
    if event.anchor is not None:
        return f"anchor &{event.anchor} is refused: write the value out where it is used"
    if event.tag is not None:
        return f"tag {event.tag.replace(_TAG_PREFIX, '!!')} is refused: write the plain value"
    return ""


def read(text: str, *, name: str) -> Document:
    """Read one YAML document; `name` is the file's, for messages. Text that is no YAML at all raises ConfigError."""
    try:
        return _read(text, name)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        why = ", ".join(part for part in (error.context, error.problem) if part)
        msg = f"{name}:{line}: {why}"
        raise ConfigError(msg) from None
    except RecursionError:
        msg = f"{name}: nested too deeply"
        raise ConfigError(msg) from None


def _read(text: str, name: str) -> Document:
    loader = _Loader(text)
    root = loader.get_single_node()
    if root is None:
        msg = f"{name}: is empty"
        raise ConfigError(msg, fix="begin it with 'schema: 1'")
    walk = _Walk(refused=loader.refused)
    value = walk.value(root, ())
    return Document(value=value, lines=walk.lines, plain=walk.plain, problems=tuple(walk.problems))


@dataclass(kw_only=True)
class _Walk:
    refused: Mapping[int, str]
    lines: dict[Key, int] = field(default_factory=dict)
    plain: dict[Key, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def value(self, node: yaml.Node, path: Key) -> Any:
        self.lines.setdefault(path, node.start_mark.line + 1)
        if why := self.refused.get(id(node)):
            self._problem(node, path, why)
        match node:
            case yaml.MappingNode():
                return self._mapping(node, path)
            case yaml.SequenceNode():
                return [self.value(item, (*path, index)) for index, item in enumerate(node.value)]
            case yaml.ScalarNode():
                return self._scalar(node, path)
            case _:
                msg = f"a node of YAML that is none of its three kinds: {node!r}"
                raise TypeError(msg)

    def _mapping(self, node: yaml.MappingNode, path: Key) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = self._key(key_node, path)
            if key is None:
                continue
            place = (*path, key)
            if key in found:
                self._problem(key_node, place, f"key is written twice; the first one is on line {self.lines[place]}")
                continue
            self.lines[place] = key_node.start_mark.line + 1
            found[key] = self.value(value_node, place)
        return found

    def _key(self, node: yaml.Node, path: Key) -> str | None:
        if why := self.refused.get(id(node)):
            self._problem(node, path, why)
            return None
        if node.tag == _MERGE_TAG:
            self._problem(node, path, "merge key << is refused: write the keys out")
            return None
        if not isinstance(node, yaml.ScalarNode):
            self._problem(node, path, "a key must be text, not a list or a mapping")
            return None
        text: str = node.value
        if _is_ambiguous(node):
            self._problem(node, (*path, text), f'key must be text: write it in quotes: "{text}"')
        return text

    def _scalar(self, node: yaml.ScalarNode, path: Key) -> Any:
        text: str = node.value
        if node.style is not None or id(node) in self.refused:
            return text
        self.plain[path] = text
        if _WHOLE.fullmatch(text):
            return int(text)
        if text in _BOOLEAN:
            return _BOOLEAN[text]
        if node.tag == _NULL_TAG:
            self._problem(node, path, "nothing stands here: write a value, or leave the key out")
            return Unquoted(text=text)
        return Unquoted(text=text) if _is_ambiguous(node) else text

    def _problem(self, node: yaml.Node, path: Key, message: str) -> None:
        self.problems.append(Problem(line=node.start_mark.line + 1, path=path, message=message))


def _is_ambiguous(node: yaml.ScalarNode) -> bool:
    """Return whether a plain scalar may be read as something else than text."""
    return node.style is None and (node.tag != _TEXT_TAG or bool(_LOOKS_OTHER.fullmatch(node.value)))
