"""Which pool a URL means."""

from concurrent.futures import Executor
from typing import Any

from tvm.error import ConfigError
from tvm.support._pool.tasks import Settings
from tvm.support.popen_pool import PopenPoolExecutor

_LOCAL = frozenset({"", "local"})
_DASK = "dask://"


def executor(url: str, *, max_workers: int | None, timeout: float | None, options: dict[str, Any]) -> Executor:
    """Return the pool that `url` means."""
    if url in _LOCAL:
        return PopenPoolExecutor(max_workers, timeout, **options)
    address = url.removeprefix(_DASK)
    host, _, port = address.rpartition(":")
    if not url.startswith(_DASK) or not host or not port.isdecimal():
        msg = f"not the URL of a pool: {url!r}"
        raise ConfigError(msg, fix="say local, or dask://HOST:PORT for a dask scheduler")
    from tvm.support._pool.dask import DaskExecutor  # noqa: PLC0415 - an extra

    names = {"maximum_process_uses": "maximum_uses", "maximum_process_memory": "maximum_memory"}
    settings = Settings(**{names.get(name, name): value for name, value in options.items()})
    return DaskExecutor(address, timeout=timeout, settings=settings)
