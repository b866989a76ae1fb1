"""Elements of HTML as text. Whatever is not HTML already is cleaned and escaped, so no name or log can become markup."""

import html
import re
from collections.abc import Iterable

from tvm.support.record import strip_credentials

# Terminal colours and titles; what is left of control characters, lone surrogates and signs that turn the reading direction.
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069\ufffe\uffff]")
_VOID = frozenset({"meta", "rect"})

# What an attribute may be: text, a number, True for a bare one, None or False for none.
Value = str | int | None


class Safe(str):
    """Text that is HTML already."""

    __slots__ = ()


def element(name: str, /, *content: str, **attributes: Value) -> Safe:
    """Return an element. `class_` is the attribute class, `data_made` data-made."""
    start = f"<{name}{''.join(_attribute(key, value) for key, value in attributes.items())}>"
    if name in _VOID:
        return Safe(start)
    return Safe(f"{start}{join(content)}</{name}>")


def join(parts: Iterable[str]) -> Safe:
    """Return parts one after the other; those that are not HTML yet are escaped."""
    return Safe("".join(part if isinstance(part, Safe) else escape(part) for part in parts))


def escape(text: str) -> Safe:
    """Return text as HTML, without credentials and without what a terminal or a reader would obey."""
    return Safe(html.escape(clean(text)))


def clean(text: str) -> str:
    """Return text that can be read: credentials cut, terminal sequences removed, other control characters made visible."""
    lines = _ESCAPES.sub("", strip_credentials(text)).replace("\r\n", "\n").replace("\r", "\n")
    return _UNSAFE.sub("\ufffd", lines)


def _attribute(key: str, value: Value) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(str(value))}"'
