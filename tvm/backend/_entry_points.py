"""Entry points of the group tvm.backends, found without importing importlib.metadata where no distribution has one."""

import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "tvm.backends"
_FOLDERS = (".dist-info", ".egg-info")


class Point:
    """One entry point; `distribution` says whose it is, with its version."""

    def __init__(self, name: str, distribution: str, entry: "EntryPoint") -> None:
        self.name = name
        self.distribution = distribution
        self.entry = entry

    def run(self) -> None:
        """Import what it names and call it."""
        self.entry.load()()


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
    from importlib.metadata import Distribution  # noqa: PLC0415 - takes longer than the search, and most find nothing

    distribution = Distribution.at(path)
    entries = sorted(
        (entry for entry in distribution.entry_points if entry.group == GROUP), key=lambda entry: entry.name
    )
    name = f"{distribution.metadata['Name'] or path.name} {distribution.version or ''}".strip()
    return [Point(entry.name, name, entry) for entry in entries]
