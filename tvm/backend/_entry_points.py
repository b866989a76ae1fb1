"""Entry points of the group tvm.backends, found without importing importlib.metadata where no distribution has one."""

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
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
    seen: set[str] = set()
    for folder in _candidates():
        try:
            found = _read(folder)
        except Exception as error:  # noqa: BLE001 - a broken folder of another distribution must not stop `import tvm`
            name = os.path.basename(folder)
            problems.append(
                f"the entry points of the distribution {name} cannot be read: {type(error).__name__}: {error}"
            )
            continue
        # A distribution that two folders of sys.path have is imported from the first.
        fresh = [point for point in found if f"{point.distribution}:{point.name}" not in seen]
        seen.update(f"{point.distribution}:{point.name}" for point in fresh)
        points += fresh
    return points, problems


def _candidates() -> Iterator[str]:
    """Give the metadata folders whose entry points name the group; relative entries of sys.path, the current folder, are left out."""
    for folder in dict.fromkeys(map(str, sys.path)):
        if os.path.isabs(folder):
            yield from (path for path in _metadata(folder) if _names_group(path))


def _metadata(folder: str) -> list[str]:
    with suppress(OSError), os.scandir(folder) as entries:
        return sorted(entry.path for entry in entries if entry.name.endswith(_FOLDERS))
    return []


def _names_group(path: str) -> bool:
    with suppress(OSError), open(os.path.join(path, "entry_points.txt"), "rb") as file:
        return GROUP.encode() in file.read()
    return False


def _read(path: str) -> list[Point]:
    from importlib.metadata import Distribution  # noqa: PLC0415 - takes longer than the search, and most find nothing
    from pathlib import Path  # noqa: PLC0415

    distribution = Distribution.at(Path(path))
    entries = sorted(
        (entry for entry in distribution.entry_points if entry.group == GROUP), key=lambda entry: entry.name
    )
    name = f"{distribution.metadata['Name'] or os.path.basename(path)} {distribution.version or ''}".strip()
    return [Point(entry.name, name, entry) for entry in entries]
