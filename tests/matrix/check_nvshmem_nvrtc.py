"""An NVSHMEM kernel by NVRTC and nvJitLink, without a driver; and other relocatable code."""

import time
from pathlib import Path

import pytest

from tests.matrix import cuda, nvshmem
from tests.matrix.cuda import CELL, RING, TARGET, Source
from tests.matrix.evidence import compiled, inspected, linked
from tests.matrix.publish import Publish
from tvm.error import CompileError, TVMError
from tvm.support import nvcc

_RELEASE = ".".join(map(str, CELL.nvrtc))
# Two sources that need each other's code.
_PARTS = tuple(
    Source(path=Path("tests/matrix/data/cuda", f"{name}.cu"), operation="CALL") for name in ("caller", "callee")
)


@pytest.mark.parametrize(("version", "known"), [ring for ring in CELL.rings if not CELL.homes[ring[0]]])
def test_ring_is_linked(
    version: str, known: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, artefact: Publish
) -> None:
    nvshmem.choose(version, monkeypatch)
    product = tmp_path / "ring.cubin"
    data = nvcc.compile_cuda(RING.path, arch=known, path_target=product)
    shown = [
        compiled("nvcc.compile_cuda", f"NVRTC {_RELEASE}, relocatable, with NVSHMEM {version}"),
        linked("nvJitLink", f"libnvshmem_device.a {version}, {len(data)} bytes"),
        *nvshmem.inspect(product, known),
    ]
    artefact(nvshmem.name("nvrtc", version, known), product, target=TARGET, arch=known, evidence=shown)


def test_two_relocatable_cubins_are_linked(arch: str, tmp_path: Path, artefact: Publish) -> None:
    """For every arch, also one that NVSHMEM has no code for."""
    parts = [bytes(nvcc.compile_cuda(part.path, "cubin", arch, "-rdc=true")) for part in _PARTS]
    product = tmp_path / "caller.cubin"
    nvcc.link_cuda(parts, arch, path_target=product)
    shown = [
        compiled("nvcc.compile_cuda", f"NVRTC {_RELEASE}, two relocatable cubins"),
        linked("nvcc.link_cuda", "nvJitLink"),
        *cuda.inspect(product, "cubin", _PARTS[0], arch),
        inspected("pyelftools", "no undefined symbol of the other part"),
    ]
    artefact(f"{arch}/caller-nvrtc.cubin", product, target=TARGET, arch=arch, evidence=shown)


def test_a_part_that_is_missing_is_named(tmp_path: Path) -> None:
    part = bytes(nvcc.compile_cuda(_PARTS[0].path, "cubin", "sm_90a", "-rdc=true"))
    with pytest.raises(CompileError, match="scaled"):
        nvcc.link_cuda([part], "sm_90a", path_target=tmp_path / "caller.cubin")
    assert list(tmp_path.iterdir()) == []


def test_an_arch_without_code_is_refused_at_once_and_told_how_to_be_forced(archs: list[str], tmp_path: Path) -> None:
    """Every arch of the cell that its NVSHMEM has only PTX for: a link would compile that for more than a minute."""
    start = time.monotonic()
    for arch in (arch for arch in archs if arch not in CELL.nvshmem):
        with pytest.raises(TVMError, match=rf"no code for {arch}, only PTX for sm_90") as error:
            nvcc.compile_cuda(RING.path, arch=arch, path_target=tmp_path / "ring.cubin")
        assert "TVM_CUDA_NVSHMEM_PTX=1" in str(error.value)
    with pytest.raises(TVMError, match="no code for sm_60"):
        nvcc.compile_cuda(RING.path, arch="sm_60", path_target=tmp_path / "ring.cubin")
    assert time.monotonic() - start < 10
    assert list(tmp_path.iterdir()) == []


def test_nvshmem_is_linked_into_a_cubin_only() -> None:
    with pytest.raises(TVMError, match=r"NVSHMEM.*not ptx"):
        nvcc.compile_cuda(RING.path, "ptx", "sm_90a")


def test_a_home_without_nvshmem_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NVSHMEM_HOME", str(tmp_path))
    with pytest.raises(TVMError, match=r"cannot find NVSHMEM(.|\n)*NVSHMEM_HOME="):
        nvcc.compile_cuda(RING.path, arch="sm_90a")
