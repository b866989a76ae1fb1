"""An NVSHMEM kernel by nvcc and nvlink, without a driver."""

from pathlib import Path

import pytest

from tests.matrix import nvshmem
from tests.matrix.cuda import CELL, RING, TARGET
from tests.matrix.evidence import compiled, linked
from tests.matrix.publish import Publish
from tvm.error import TVMError
from tvm.support import nvcc

_RELEASE = ".".join(map(str, CELL.cuda))


@pytest.mark.parametrize(("version", "known"), CELL.rings)
def test_ring_is_linked(
    version: str, known: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, artefact: Publish
) -> None:
    nvshmem.choose(version, monkeypatch)
    product = tmp_path / "ring.cubin"
    data = nvcc.compile_cuda(RING.path, arch=known, path_target=product, compiler="nvcc")
    shown = [
        compiled("nvcc.compile_cuda", f"nvcc {_RELEASE} -rdc=true with NVSHMEM {version}"),
        linked("nvlink", f"libnvshmem_device.a {version}, {len(data)} bytes"),
        *nvshmem.inspect(product, known),
    ]
    artefact(nvshmem.name("nvcc", version, known), product, target=TARGET, arch=known, evidence=shown)


def test_an_arch_without_code_is_refused_before_anything_is_compiled(archs: list[str], tmp_path: Path) -> None:
    """Every arch of the cell that its NVSHMEM has no code for, and one that none has."""
    for arch in [*(arch for arch in archs if arch not in CELL.nvshmem), "sm_60"]:
        with pytest.raises(TVMError, match=rf"NVSHMEM's device library has no code for {arch}"):
            nvcc.compile_cuda(RING.path, arch=arch, path_target=tmp_path / "ring.cubin", compiler="nvcc")
    assert list(tmp_path.iterdir()) == []
