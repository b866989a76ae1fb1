"""Run under libfaketime, with the clock's offset in a file: no jump of the clock makes an old product pass for a new one.

`python cache_clock.py FOLDER` with FAKETIME_TIMESTAMP_FILE naming a file in it. Prints one line for each kind of jump.
"""

import hashlib
import itertools
import os
import sys
import time
from pathlib import Path

from tvm.support import cache
from tvm.support._cache import states
from tvm.support.library import Outcome

OFFSETS = ("+0", "+10y", "-10y", "+3s", "-3s")
# How old a file must be for what was made of it to be kept, and a little more.
_SETTLED = 2.2


def main(folder: Path) -> int:
    """Try every three offsets: before a build, while it runs, and at the next build."""
    wrong = 0
    jumps = list(itertools.product(OFFSETS, repeat=3))
    headers = [folder / f"{number}.h" for number in range(len(jumps))]
    for header in headers:
        header.write_text("one", encoding="ascii")
    _set("+0")
    time.sleep(_SETTLED)
    for header, (before, during, after) in zip(headers, jumps, strict=True):
        _set(before)
        first = _build(header, edit=True, jump=during)
        _set(after)
        second = _build(header)
        verdict = "ok" if (first, second) == (b"one", b"another") else f"WRONG: {first!r}, then {second!r}"
        wrong += verdict != "ok"
        print(f"{before}, {during}, {after}: {verdict}")
    return int(wrong > 0)


def _build(header: Path, *, edit: bool = False, jump: str = "") -> bytes:
    """Return what a library makes of a header; with `edit` the header changes, and the clock jumps, after it was read."""

    def make(file: Path) -> Outcome:
        text = file.read_bytes()
        if edit:
            _set(jump)
            file.write_text("another", encoding="ascii")
        return Outcome(code=0, log="", path=__file__, version="1", products={"product": text})

    def plan() -> cache.Plan:
        key = hashlib.sha256(os.fsencode(header)).hexdigest()
        return cache.Plan(key=key, made_from=lambda: [states.file(str(header))])

    return cache.call(make, header, name="clock", options=[], inputs={}, plan=plan).products["product"]


def _set(offset: str) -> None:
    # The library reads the file at each look at a clock or a file, that of opening it too: it must never be empty.
    file = Path(os.environ["FAKETIME_TIMESTAMP_FILE"])
    draft = file.with_name("draft")
    draft.write_text(offset, encoding="ascii")
    draft.replace(file)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
