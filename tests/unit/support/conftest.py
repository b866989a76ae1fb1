"""Fixtures of the CUDA tests: a machine without CUDA, and NVIDIA's libraries as stand-ins."""

import gc
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.unit.support._cuda.fakes import Nvfatbin, Nvjitlink, Nvrtc
from tests.unit.support.pool_processes import await_that, below
from tvm.support._cuda import fatbin, paths, version
from tvm.support.popen_pool import PopenPoolExecutor, PopenWorker


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return the root of a machine that has no CUDA anywhere: what the search takes for /usr, /usr/local and /opt lies under it."""
    root = tmp_path / "machine"
    for name in ("tmp", "site-packages", "usr/lib/cuda"):
        (root / name).mkdir(parents=True)
    for name in ("CONDA_PREFIX", "NVSHMEM_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(paths, "_DEBIAN", (root / "usr/lib/cuda", root / "usr"))
    monkeypatch.setattr(paths, "_LOCAL", root / "usr/local")
    monkeypatch.setattr(paths, "_ARCH_LINUX", root / "opt/cuda")
    monkeypatch.setattr("tvm.support._cuda.nvshmem._SYSTEM", (root / "usr/local", root / "usr"))
    monkeypatch.setattr("tvm.support._cuda.stage._FIXED", root / "tmp")
    monkeypatch.setattr(sys, "path", [str(root / "site-packages")])
    monkeypatch.setattr(sys, "prefix", str(root / "prefix"))
    _forget()
    yield root
    _forget()


def _forget() -> None:
    # The files of one test are not those of another.
    for cached in (paths._search, version.header_version, fatbin.held):
        cached.cache_clear()


@pytest.fixture
def libraries(machine: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put stand-ins in the place of cuda.pathfinder; return the folder that it finds every library in."""
    folder = machine / "libraries"
    folder.mkdir()

    def found(name: str) -> SimpleNamespace:
        file = folder / f"lib{name}.so"
        file.write_text(name, encoding="ascii")
        return SimpleNamespace(abs_path=str(file))

    monkeypatch.setitem(sys.modules, "cuda.pathfinder", SimpleNamespace(load_nvidia_dynamic_lib=found))
    return folder


@pytest.fixture
def nvrtc(libraries: Path, monkeypatch: pytest.MonkeyPatch) -> Nvrtc:
    """Return the stand-in that product code finds as cuda.bindings.nvrtc."""
    assert libraries.is_dir()
    made = Nvrtc()
    monkeypatch.setitem(sys.modules, "cuda.bindings.nvrtc", made)
    return made


@pytest.fixture
def nvjitlink(libraries: Path, monkeypatch: pytest.MonkeyPatch) -> Nvjitlink:
    """Return the stand-in that product code finds as cuda.bindings.nvjitlink."""
    assert libraries.is_dir()
    made = Nvjitlink()
    monkeypatch.setitem(sys.modules, "cuda.bindings.nvjitlink", made)
    return made


@pytest.fixture
def nvfatbin(libraries: Path, monkeypatch: pytest.MonkeyPatch) -> Nvfatbin:
    """Return the stand-in that product code finds as cuda.bindings.nvfatbin."""
    assert libraries.is_dir()
    made = Nvfatbin()
    monkeypatch.setitem(sys.modules, "cuda.bindings.nvfatbin", made)
    return made


@pytest.fixture
def no_process_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """See to it that a test leaves no process."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    before = below()
    yield
    gc.collect()
    await_that(lambda: below() <= before)


@pytest.fixture
def worker(no_process_is_left: None) -> Iterator[PopenWorker]:  # noqa: ARG001 - it looks after this one
    """Return a worker that is ended with the test."""
    made = PopenWorker()
    yield made
    made.kill()


@pytest.fixture
def pool(no_process_is_left: None) -> Iterator[PopenPoolExecutor]:  # noqa: ARG001 - as above
    """Return a pool that is ended with the test."""
    with PopenPoolExecutor(2) as made:
        yield made
        made.kill_workers()
