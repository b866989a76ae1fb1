"""Which Python of this machine a local run stands on."""

import sys
from collections.abc import Iterator

from tvm.error import ToolNotFound, TVMError
from tvm.matrix import tools
from tvm.support import process
from tvm.support.utils import search_path, which

TOOL = "python"
_LIMIT = 20.0
# The one that runs us comes first, then those that a system may have beside it.
_NAMES = ("python3", "python3.14", "python3.13", "python3.12", "python3.11")


def find(specifier: str) -> str:
    """Return the Python that is what the image's `specifier` wants, else the first one that the lock's wheels are for.

    ToolNotFound where there is none.
    """
    floor = tools.local_specifier(TOOL)
    fitting = [(path, printed) for path, printed in _versions() if _meets(floor, printed)]
    if not fitting:
        msg = f"the wheels are locked for Python {floor}, and this machine has none"
        raise ToolNotFound(msg, fix="install one, for example the package python3.11", looked=search_path())
    exact = (path for path, printed in fitting if _meets(specifier, printed))
    return next(exact, fitting[0][0])


def _versions() -> Iterator[tuple[str, str]]:
    """Yield each Python with what it prints of its version; one that does not start is passed over."""
    found = [sys.executable, *(which(name) for name in _NAMES)]
    for path in dict.fromkeys(path for path in found if path):
        try:
            done = process.run([path, "--version"], check=False, timeout=_LIMIT)
        except TVMError:
            continue
        if done.code == 0:
            yield path, done.output


def _meets(specifier: str, printed: str) -> bool:
    return tools.check(TOOL, specifier, printed, 0) == ""
