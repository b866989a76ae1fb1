"""Backends made for one test are found beside the real ones."""

import sys
from collections.abc import Iterator
from importlib import invalidate_caches
from pathlib import Path

import pytest

from tests.unit.backend.packages import World
from tests.unit.registries import changed, state
from tvm import backend


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """Return a folder whose backends this process can load; at the end everything must be as it was."""
    root = tmp_path / "site-packages"
    (root / "tvm" / "backend").mkdir(parents=True)
    monkeypatch.setattr(backend, "__path__", [*backend.__path__, str(root / "tvm" / "backend")])
    monkeypatch.syspath_prepend(root)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    invalidate_caches()
    before = state()
    yield World(root=root)
    assert changed(before) == {}
