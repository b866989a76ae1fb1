"""What every unit test gets: no tool of this machine on PATH, no network, stand-ins that record their calls."""

import os
from pathlib import Path

import pytest
from hypothesis import settings
from pytest_socket import disable_socket

from tests.unit import stand_in as stand_ins
from tests.unit.stand_in import MakeStandIn, StandIn

# The same examples in every run, and no clock: this machine may be busy.
settings.register_profile("unit", deadline=None, derandomize=True)
settings.load_profile("unit")

# What would make a test depend on the shell it was started from.
_NAMES = ("CC", "CXX", "AR", "NM", "CUDA_PATH", "CUDA_HOME", "ROCM_PATH", "SOURCE_DATE_EPOCH", "PATHEXT")
_PREFIXES = ("TVM_", "DOCKER_", "CONTAINER_", "CCACHE_", "SCCACHE_")


def pytest_runtest_setup() -> None:
    """Close the network. Unix sockets stay: fake engines listen on them."""
    disable_socket(allow_unix_socket=True)


@pytest.fixture
def bin_folder(tmp_path: Path) -> Path:
    """Return the one folder on PATH. It holds the stand-ins and nothing else."""
    folder = tmp_path / "stand-ins"
    folder.mkdir()
    return folder


@pytest.fixture(autouse=True)
def _scrubbed_environment(bin_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name in _NAMES or name.startswith(_PREFIXES):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PATH", str(bin_folder))
    # A test sees its tools called. Those of the compile cache turn it on, in a folder of their own.
    monkeypatch.setenv("TVM_COMPILE_CACHE", "off")
    monkeypatch.setenv("TVM_COMPILE_CACHE_DIR", str(tmp_path / "compile-cache"))


@pytest.fixture
def stand_in(bin_folder: Path, tmp_path: Path) -> MakeStandIn:
    """Return a function that puts a recording program on PATH (see MakeStandIn)."""
    logs = tmp_path / "stand-in-calls"
    logs.mkdir()

    def make(name: str, *, output: str = "", code: int = 0, body: str = "", makes: bool = True) -> StandIn:
        log = logs / f"{name}.jsonl"
        return stand_ins.write(bin_folder, log, name, output=output, code=code, body=body, makes=makes)

    return make
