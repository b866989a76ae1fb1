"""How an artefact was made: the calls that lead to it."""

from collections.abc import Sequence
from typing import Any


def steps(artefact: dict[str, Any], calls: Sequence[dict[str, Any]]) -> list[int]:
    """Return the calls that made an artefact, in the order they ran, one for each file on the way.

    A manifest names every call whose output had the right bytes, and a check makes the same object many times: here one
    stands for all of them, the last before its user that says what it read and writes a file of that name.
    """
    wanted = [(artefact["sha256"], artefact["name"], len(calls))]
    made = set[int]()
    while wanted:
        sha256, name, before = wanted.pop()
        makers = [
            number for number in artefact["calls"] if number < before and sha256 in _hashes(calls[number]["outputs"])
        ]
        if makers:
            best = max(makers, key=lambda number: (bool(calls[number]["inputs"]), _writes(calls[number], name), number))
            made.add(best)
            wanted += [(file["sha256"], file["path"], best) for file in calls[best]["inputs"]]
    return sorted(made)


def _writes(call: dict[str, Any], name: str) -> bool:
    """Say whether a call writes a file whose name ends as `name` does; it may do so in a folder of its own."""
    return any(_base(file["path"]) == _base(name) for file in call["outputs"])


def _base(path: str) -> str:
    return path.rpartition("/")[2]


def _hashes(files: Sequence[dict[str, str]]) -> list[str]:
    return [file["sha256"] for file in files]
