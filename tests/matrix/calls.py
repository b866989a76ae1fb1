"""Call a kernel through images/ndk/tvm-run.c, which loads a library on another machine: its arguments as words."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from tests.matrix import kernels
from tests.matrix.kernels import Array, Kernel, Word
from tvm.support import process

LIMIT = 120.0


def run(
    loader: Sequence[str | Path],
    library: Path,
    kernel: Kernel,
    folder: Path,
    *,
    spell: Callable[[Path], str] = str,
    env: Mapping[str, str] | None = None,
) -> Array:
    """Load a library by the words that start the loader, call a kernel of it, and return what it computed.

    Files go to `folder`; `spell` says how the loader must be given a path.
    """
    result = folder / f"{kernel.name}.out"
    files = (folder / f"{kernel.name}.{number}" for number in range(len(kernel.words)))
    words = [_argument(word, path, result, kernel, spell) for word, path in zip(kernel.words, files, strict=True)]
    result.unlink(missing_ok=True)
    process.run([*loader, spell(library), kernel.name, *words], timeout=LIMIT, inputs=[library], env=env)
    return np.fromfile(result, dtype=np.float32).reshape(kernel.expected.shape)


def _argument(word: Word, path: Path, result: Path, kernel: Kernel, spell: Callable[[Path], str]) -> str:
    match word:
        case None:
            return f"out:{spell(result)}:{kernel.expected.nbytes}"
        case int():
            return f"size:{word}"
        case float():
            return f"float:{word!r}"
        case _:
            return f"in:{spell(kernels.save(word, path))}"
