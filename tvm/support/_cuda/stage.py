"""Where a tool that looks at the path of its input finds it: a folder that is the same on every machine."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tvm.error import StorageError
from tvm.support._staging import private

# Not the folder that TMPDIR names: nvcc -rdc=true makes the names of variables from a hash of the source's path.
_FIXED = Path("/tmp")  # noqa: S108 - `private` takes no folder that another user made


@contextmanager
def staging(key: str) -> Iterator[Path]:
    """Make the folder of this key, empty and only for this block among all threads and processes; it is removed at its end."""
    with ExitStack() as stack:
        yield _entered(stack, f"tvm-{key}")


def _entered(stack: ExitStack, name: str) -> Path:
    try:
        return stack.enter_context(private(_FIXED / name))
    except StorageError:
        # Another user compiles the same source at this moment, or this system has no such folder.
        return stack.enter_context(private(Path(tempfile.gettempdir(), f"{name}-{os.getpid()}")))
