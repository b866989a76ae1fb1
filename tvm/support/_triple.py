"""Ask a compiler for its target triple."""

import re
from collections.abc import Sequence

from tvm.error import ToolNotFound
from tvm.support import process

_TRIPLE = re.compile(r"[\w.]+(-[\w.+]+)*")
# The longest that the question may take, in seconds.
_LIMIT = 60.0


def ask(compiler: Sequence[str]) -> str | None:
    """Return the triple with its newline, as the compiler prints it; None if there is no such program or it does not know."""
    try:
        done = process.run([*compiler, "-dumpmachine"], check=False, timeout=_LIMIT)
    except ToolNotFound:
        return None
    # A compiler may say more, warnings for one, on the same stream.
    lines = [line.strip() for line in done.output.splitlines() if _TRIPLE.fullmatch(line.strip())]
    return f"{lines[-1]}\n" if done.code == 0 and lines else None
