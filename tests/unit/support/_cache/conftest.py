"""Fixtures of the compile cache's tests: the cache on in a folder of the test's own, and files that count as old."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.stand_in import MakeStandIn, StandIn
from tests.unit.support._cache import fake_gcc
from tvm.support._cache import drivers, gnu, headers, memo, nvcc, programs, states, store
from tvm.support._cache.store import Store


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    yield
    memo.forget()
    states._SEEN.clear()
    for cached in (drivers.driver, drivers.search, programs._libraries, gnu._knows_lists, headers._asked, nvcc._steps):
        cached.cache_clear()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Turn the cache on and return its folder, which is not there yet."""
    root = tmp_path / "compile-cache"
    monkeypatch.setenv("TVM_COMPILE_CACHE", "on")
    monkeypatch.setenv("TVM_COMPILE_CACHE_DIR", str(root))
    return root


@pytest.fixture
def opened(folder: Path) -> Store:
    """Return a new store that can be written."""
    return store.opened(folder, write=True)


@pytest.fixture
def old_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take files as old that a test has just written."""
    monkeypatch.setattr(states, "SETTLED", -(10**10))


@pytest.fixture
def gxx(stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch, old_files: None) -> StandIn:
    """Put a g++ on PATH that reads what it includes, says so like gcc, and is taken for a program."""
    assert old_files is None
    monkeypatch.setattr(programs, "is_native", lambda _program: True)
    return fake_gcc.put(stand_in)
