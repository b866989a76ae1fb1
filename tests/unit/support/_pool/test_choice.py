import sys

import pytest

from tvm.error import ConfigError, UnavailableError
from tvm.support import executor
from tvm.support.popen_pool import PopenPoolExecutor


@pytest.mark.parametrize("url", ["", "local"])
def test_the_local_pool(url: str) -> None:
    with executor(url, max_workers=1, timeout=60, maximum_process_uses=3) as pool:
        assert isinstance(pool, PopenPoolExecutor)
        assert pool.submit(abs, -1).result() == 1


@pytest.mark.parametrize(
    "url", ["dask://", "dask://host", "dask://:80", "dask://host:x", "tcp://host:1", "host:1", "dask"]
)
def test_what_names_no_pool(url: str) -> None:
    with pytest.raises(ConfigError, match="not the URL of a pool") as caught:
        executor(url)
    assert "dask://HOST:PORT" in caught.value.fix


def test_the_extra_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)

    with pytest.raises(UnavailableError, match=r"dask\.distributed is not installed") as caught:
        executor("dask://127.0.0.1:1")
    assert caught.value.fix == "pip install 'tvm-matrix[dask]'"
