"""What stands for all headers of a toolkit: its version file, or the lists of the wheels that it came in."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from tvm.support._cache import memo, states
from tvm.support._cache.states import State

_VERSIONS = ("version.json", "version.txt")
# How far above a folder of headers a toolkit's root may be: ROOT/targets/NAME/include/cccl.
_HIGHEST = 4
_NAMED = re.compile(rb"^[ \t]*#[ \t]*include(?:_next)?[ \t]*[<\"]([^/>\"\n]+)", re.MULTILINE)


def of(folder: Path) -> tuple[State, ...]:
    """Return the files whose bytes stand for a folder of headers; none if it is of no toolkit."""
    for root in (folder, *folder.parents[:_HIGHEST]):
        if root.name == "nvidia":
            return tuple(states.file(str(record)) for record in sorted(root.parent.glob("nvidia_*.dist-info/RECORD")))
        found = [root / name for name in _VERSIONS if (root / name).is_file()]
        if found and (root / "bin").is_dir():
            return tuple(states.file(str(file)) for file in found)
    return ()


def included_names(folders: Sequence[Path], identity: Sequence[State]) -> frozenset[str]:
    """Return the first part of every name that a toolkit's headers include, and of every name in its folders.

    A folder of the user's that holds one of them may be what those headers find. Read once for each toolkit.
    """
    said = [[str(folder) for folder in folders], [state.digest for state in identity]]
    return frozenset(memo.remembered("toolkit-names", said, lambda: (_names(folders), lambda: identity)))


def _names(folders: Sequence[Path]) -> list[str]:
    found = {entry.name for folder in folders for entry in folder.iterdir()}
    for folder in folders:
        for file in _headers(folder):
            found.update(name.decode(errors="surrogateescape") for name in _NAMED.findall(file.read_bytes()))
    return sorted(found)


def _headers(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())
