"""Which files a source needs from its own tree: the quoted includes that can be reached from it."""

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from tvm.matrix.tree import content_of

_QUOTED = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)


def reachable(sources: Iterable[Path], folders: Sequence[Path]) -> set[Path]:
    """Return the headers that quoted includes of `sources` reach, beside the includer first and then in `folders`.

    Conditions are ignored, so this may name more than a compiler reads. What is not found is left for the compiler to
    report: it knows which includes are really read.
    """
    waiting = list(sources)
    seen = set(waiting)
    while waiting:
        includer = waiting.pop()
        for name in _QUOTED.findall(content_of(includer)):
            text = name.decode(errors="surrogateescape")
            for folder in (includer.parent, *folders):
                header = folder / text
                # Not Path.is_file, which raises for a name that is too long.
                if os.path.isfile(header):  # noqa: PTH113
                    if header not in seen:
                        seen.add(header)
                        waiting.append(header)
                    break
    return seen
