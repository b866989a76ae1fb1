"""Wrappers of the external tools that compile, link and pack kernels, and the pools that run them."""

from typing import TYPE_CHECKING, Any

from tvm import _lazy

# As in the seed, the name libinfo is the function; its module is in sys.modules.
from tvm.support.libinfo import describe, libinfo

if TYPE_CHECKING:
    from concurrent.futures import Executor

__all__ = ["describe", "executor", "libinfo"]

# The seed's `import tvm` imports most of them; here each is imported at its first use.
_MODULES = frozenset({"cc", "clang", "emcc", "ndk", "nvcc", "popen_pool", "rocm", "tar", "utils", "xcode"})
_MODULES |= {"archive", "cache", "devices", "library", "process", "record"}

__getattr__ = _lazy.submodules(__name__, there=_MODULES)


def executor(
    url: str = "local", *, max_workers: int | None = None, timeout: float | None = None, **options: Any
) -> "Executor":
    """Return a pool of processes: `local`, on this machine, or `dask://HOST:PORT`, on the workers of a dask scheduler (extra `dask`).

    `timeout` limits the run of each task, in seconds. `max_workers` is for the local pool; the other options are those of
    `popen_pool.PopenPoolExecutor`. Time limits and errors are the same in both.
    """
    from tvm.support._pool import choice  # noqa: PLC0415 - `import tvm.support` stays cheap

    return choice.executor(url, max_workers=max_workers, timeout=timeout, options=options)
