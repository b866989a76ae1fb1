"""An NVSHMEM kernel by nvcc and nvlink, without a driver; and by NVRTC with the NVSHMEMs that only the image has."""

from pathlib import Path
from typing import Literal

import pytest

from tests.matrix import nvshmem
from tests.matrix.cuda import CELL, RING, TARGET
from tests.matrix.evidence import compiled, linked
from tests.matrix.publish import Publish
from tvm.error import TVMError
from tvm.support import nvcc

# Compiler -> what it is called, and its linker.
_TOOLS = {
    "nvcc": (f"nvcc {'.'.join(map(str, CELL.cuda))} -rdc=true", "nvlink"),
    "nvrtc": (f"NVRTC {'.'.join(map(str, CELL.nvrtc))}, relocatable,", "nvJitLink"),
}
# The NVSHMEM that is a wheel beside NVRTC is linked by check_nvshmem_nvrtc.
_RINGS = [
    (compiler, version, known)
    for compiler in ("nvcc", "nvrtc")
    for version, known in CELL.rings
    if compiler == "nvcc" or CELL.homes[version]
]


@pytest.mark.parametrize(("compiler", "version", "known"), _RINGS)
def test_ring_is_linked(
    compiler: Literal["nvcc", "nvrtc"],
    version: str,
    known: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    artefact: Publish,
) -> None:
    nvshmem.choose(version, monkeypatch)
    product = tmp_path / "ring.cubin"
    data = nvcc.compile_cuda(RING.path, arch=known, path_target=product, compiler=compiler)
    title, linker = _TOOLS[compiler]
    shown = [
        compiled("nvcc.compile_cuda", f"{title} with NVSHMEM {version}"),
        linked(linker, f"libnvshmem_device.a {version}, {len(data)} bytes"),
        *nvshmem.inspect(product, known),
    ]
    artefact(nvshmem.name(compiler, version, known), product, target=TARGET, arch=known, evidence=shown)


def test_an_arch_without_code_is_refused_before_anything_is_compiled(archs: list[str], tmp_path: Path) -> None:
    """Every arch of the cell that its NVSHMEM has no code for, and one that none has."""
    for arch in [*(arch for arch in archs if arch not in CELL.nvshmem), "sm_60"]:
        with pytest.raises(TVMError, match=rf"NVSHMEM's device library has no code for {arch}"):
            nvcc.compile_cuda(RING.path, arch=arch, path_target=tmp_path / "ring.cubin", compiler="nvcc")
    assert list(tmp_path.iterdir()) == []
