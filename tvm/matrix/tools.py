"""Tools and their versions: what to run to ask, how to read the answer, whether it is what matrix.yaml wants."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from tvm.error import ConfigError
from tvm.matrix import _toml
from tvm.matrix._suggest import suggest

# Exit codes of an engine's exec, and of a shell, for a program that is not there.
_NOT_THERE = (126, 127)
# A release and a pre-release, after Debian's epoch; what a distribution adds behind it (+dfsg-1, -19, ~deb13u1) is no version.
_VERSION = re.compile(r"v?(?:\d+:)?(\d+(?:\.\d+)*)(?:[.~_-]?(alpha|beta|rc|a|b)[.~_-]?(\d+))?", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Tool:
    """How one tool says its version, and what is different about it where there is no image.

    `local` is the specifier that counts then in place of the image's; `lock` the folder in images/NAME with the lock of its wheel.
    """

    argv: tuple[str, ...]
    pattern: str
    install: str
    local: str = ""
    lock: str = ""


@lru_cache(maxsize=1)
def _table() -> Mapping[str, Tool]:
    rows = _toml.table("tools.toml")["tool"]
    return {name: Tool(**{**row, "argv": tuple(row["argv"])}) for name, row in rows.items()}


def names() -> tuple[str, ...]:
    """Return the names of all known tools, sorted."""
    return tuple(sorted(_table()))


def _tool(name: str) -> Tool:
    try:
        return _table()[name]
    except KeyError:
        msg = f"tool {name!r} is not in tvm/matrix/tools.toml{suggest(name, names())}"
        raise ConfigError(msg) from None


def probe_argv(name: str) -> tuple[str, ...]:
    """Return the command that prints a tool's version."""
    return _tool(name).argv


def install_hint(name: str) -> str:
    """Return what to install where a tool is missing."""
    return _tool(name).install


def local_specifier(name: str) -> str:
    """Return the specifier that counts on this machine in place of the image's, or "" where the image's counts."""
    return _tool(name).local


def lock_folder(name: str) -> str:
    """Return the folder of an image's recipe that holds the lock of a tool's wheel beside the image's own, or ""."""
    return _tool(name).lock


def parse_version(name: str, output: str) -> Version:
    """Read a tool's version out of what its probe printed; raises ValueError when there is none."""
    found = re.search(_tool(name).pattern, output, re.MULTILINE)
    parts = _VERSION.match(found[1]) if found else None
    if parts is None:
        msg = f"{name} printed no version that is known: {_first_line(output)!r}"
        raise ValueError(msg)
    release, stage, number = parts.groups()
    return Version(f"{release}{stage}{number}" if stage else release)


def check(name: str, specifier: str, output: str, code: int) -> str:
    """Return why a probed tool is not what `specifier` wants, or "" when it is; `code` is the probe's exit code."""
    if code in _NOT_THERE:
        return f"{name} is not there (install: {install_hint(name)})"
    if code != 0:
        return f"{' '.join(probe_argv(name))} ended with exit code {code}: {_first_line(output)}"
    try:
        version = parse_version(name, output)
    except ValueError as error:
        return str(error)
    if SpecifierSet(specifier).contains(version, prereleases=True):
        return ""
    return f"{name} is {version}, but matrix.yaml wants {specifier}"


def _first_line(output: str) -> str:
    return output.strip().split("\n", 1)[0].strip()[:200]
