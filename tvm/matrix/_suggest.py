"""The end of an error message about an unknown word."""

import difflib
from collections.abc import Iterable


def suggest(word: str, known: Iterable[str]) -> str:
    """Return "; did you mean 'X'?" for the nearest known word, else the list of all."""
    names = sorted(known)
    near = difflib.get_close_matches(word, names, n=1)
    if near:
        return f"; did you mean {near[0]!r}?"
    return f"; known are {', '.join(names)}" if names else ""
