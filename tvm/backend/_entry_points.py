"""Entry points of the group tvm.backends, found without importlib.metadata: to import that takes longer than all of tvm.

Source: PyPA specifications, Entry points, and Core metadata.
"""

import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import reduce
from importlib import import_module
from pathlib import Path

from tvm.error import BackendHookError

GROUP = "tvm.backends"
# MODULE:OBJECT, and extras, which say nothing to us.
_REFERENCE = re.compile(r"(?P<module>[\w.]+)\s*:\s*(?P<object>[\w.]+)\s*(\[.*\])?")
_FOLDERS = (".dist-info", ".egg-info")


class Point:
    """One entry point; `distribution` says whose it is, with its version, `reference` what it names: MODULE:OBJECT."""

    def __init__(self, name: str, distribution: str, reference: str) -> None:
        self.name = name
        self.distribution = distribution
        self.reference = reference

    def run(self) -> None:
        """Import what it names and call it."""
        found = _REFERENCE.fullmatch(self.reference)
        if found is None:
            msg = f"the entry point {self.name!r} is {self.reference!r}, which is not MODULE:FUNCTION"
            raise BackendHookError(msg)
        reduce(getattr, found["object"].split("."), import_module(found["module"]))()  # type: ignore[operator] # whatever is named


def find() -> tuple[list[Point], list[str]]:
    """Return all entry points, in the order of sys.path and by name, and what is wrong with those that cannot be read."""
    points: list[Point] = []
    problems: list[str] = []
    seen: set[tuple[str, str]] = set()
    for folder in _candidates():
        try:
            found = _read(folder)
        except Exception as error:  # noqa: BLE001 - a broken folder of another distribution must not stop `import tvm`
            text = f"{type(error).__name__}: {error}"
            problems.append(f"the entry points of the distribution {folder.name} cannot be read: {text}")
            continue
        # A distribution that two folders of sys.path have is imported from the first.
        points += [point for point in found if (point.distribution, point.name) not in seen]
        seen.update((point.distribution, point.name) for point in found)
    return points, problems


def _candidates() -> Iterator[Path]:
    """Give the metadata folders whose entry points name the group; relative entries of sys.path, the current folder, are left out."""
    for entry in dict.fromkeys(map(str, sys.path)):
        folder = Path(entry)
        if folder.is_absolute():
            yield from filter(_names_group, _metadata(folder))


def _metadata(folder: Path) -> list[Path]:
    with suppress(OSError):
        return sorted(path for path in folder.iterdir() if path.name.endswith(_FOLDERS))
    return []


def _names_group(path: Path) -> bool:
    with suppress(OSError):
        return GROUP.encode() in (path / "entry_points.txt").read_bytes()
    return False


def _read(path: Path) -> list[Point]:
    title = _title(path)
    entries = _entries((path / "entry_points.txt").read_text(encoding="utf-8"))
    return [Point(name, title, reference) for name, reference in sorted(entries.items())]


def _entries(text: str) -> dict[str, str]:
    """Return what the group's section of an entry_points.txt says."""
    found: dict[str, str] = {}
    section = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            section = _section(line)
        elif section == GROUP and line and not line.startswith(("#", ";")):
            name, equals, reference = line.partition("=")
            if not equals:
                msg = f"a line of the section {GROUP} has no '=': {line!r}"
                raise BackendHookError(msg)
            found[name.strip()] = reference.strip()
    return found


def _section(line: str) -> str:
    if not line.endswith("]"):
        msg = f"the line {line!r} is no section: it has no ']'"
        raise BackendHookError(msg)
    return line[1:-1].strip()


def _title(path: Path) -> str:
    """Return a distribution's name and version, or the name of its folder."""
    for name in ("METADATA", "PKG-INFO"):
        with suppress(FileNotFoundError):
            head = (path / name).read_text(encoding="utf-8").partition("\n\n")[0]
            fields = dict(line.split(": ", 1) for line in head.splitlines() if ": " in line)
            return f"{fields.get('Name', path.name)} {fields.get('Version', '')}".strip()
    return path.name
