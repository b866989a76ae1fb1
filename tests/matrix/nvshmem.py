"""The NVSHMEMs of an image: chosen for a test, and a ring linked with one of them."""

import re
from pathlib import Path

import pytest

from tests.matrix import cubin, cuda
from tests.matrix.cuda import CELL, RING
from tests.matrix.evidence import Evidence, inspected
from tvm.support import nvcc


def choose(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the search find the NVSHMEM of a version, and see in its headers that it is that one."""
    if home := CELL.homes[version]:
        monkeypatch.setenv("NVSHMEM_HOME", home)
    include, _ = nvcc.find_nvshmem_paths()
    text = Path(include, "non_abi", "nvshmem_version.h").read_text(encoding="utf-8")
    found = ".".join(re.findall(r"#define NVSHMEM_VENDOR_\w+_VERSION (\d+)", text)[:3])
    assert found == version, f"{include} holds NVSHMEM {found}"


def inspect(product: Path, arch: str) -> list[Evidence]:
    """Read a linked ring: no symbol of NVSHMEM is missing, and the kernel calls what was linked in."""
    missing = {name for name in cubin.read(product).undefined if "nvshmem" in name}
    assert not missing, missing
    return [
        *cuda.inspect(product, "cubin", RING, arch),
        inspected("pyelftools", "no undefined symbol of NVSHMEM"),
    ]


def name(compiler: str, version: str, arch: str) -> str:
    """Return an artefact's name; the NVSHMEM that is found unasked is not named in it."""
    suffix = f"-{version}" if CELL.homes[version] else ""
    return f"{arch}/{RING.name}-{compiler}{suffix}.cubin"
