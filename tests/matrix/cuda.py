"""The CUDA cells: what their compilers know, the kernels they compile, and what is read in every product."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tests.matrix import cubin, disassembly
from tests.matrix.disassembly import count
from tests.matrix.evidence import Evidence, inspected

Format = Literal["cubin", "ptx", "fatbin"]
FORMATS: tuple[Format, ...] = ("cubin", "ptx", "fatbin")
SUFFIX = {"cubin": ".cubin", "ptx": ".ptx", "fatbin": ".fatbin"}
TARGET = "nvptx64-nvidia-cuda"

# What the driver fills in when it loads a cubin; everything else must be there.
_BY_DRIVER = re.compile(r"vprintf|__assertfail|malloc|free|\.nv\.reservedSmem\..*|__cuda_syscall.*")
# Kernels of CUDA's own device runtime, which is linked in whole.
_RUNTIME = "__nv_static_"
_PTX_KERNEL = re.compile(r"^(?:\.visible )?\.entry (\w+)\s*\(([^)]*)\)", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One cell: versions of nvcc and NVRTC, the archs that nvcc knows, and those that NVSHMEM has code for.

    `homes` holds each NVSHMEM's version with what NVSHMEM_HOME must say ("": the one that is found unasked).
    """

    cuda: tuple[int, int]
    nvrtc: tuple[int, int]
    nvcc: tuple[str, ...]
    nvshmem: tuple[str, ...]
    homes: Mapping[str, str]

    @property
    def rings(self) -> list[tuple[str, str]]:
        """Each NVSHMEM's version with each arch that it has code for."""
        return [(version, arch) for version in self.homes for arch in self.nvshmem]


_ARCHS = ("sm_80", "sm_90a", "sm_100a", "sm_120a")
_CELLS = {
    "cuda-12": Cell(
        cuda=(12, 4),
        nvrtc=(12, 9),
        nvcc=_ARCHS[:2],
        nvshmem=_ARCHS[:2],
        homes={"3.8.0": "", "3.4.5": "/opt/nvshmem-3.4.5"},
    ),
    "cuda-13": Cell(cuda=(13, 0), nvrtc=(13, 0), nvcc=_ARCHS, nvshmem=_ARCHS, homes={"3.8.0": ""}),
}
CELL = _CELLS[os.environ["TVM_MATRIX_CELL"]]


@dataclass(frozen=True, kw_only=True)
class Source:
    """A .cu file with one kernel of its name, the operation that shows what it is for, and the first arch that has that."""

    path: Path
    operation: str
    since: int = 80

    @property
    def name(self) -> str:
        """The kernel's name."""
        return self.path.stem


def _sources(folder: str, **operations: tuple[str, int]) -> Mapping[str, Source]:
    return {
        name: Source(path=Path(folder, f"{name}.cu"), operation=operation, since=since)
        for name, (operation, since) in operations.items()
    }


KERNELS = _sources(
    "examples/kernels",
    vector_add=("FADD", 80),
    softmax=("MUFU", 80),
    matmul_mma=("HMMA", 80),
    histogram=("ATOMS", 80),
)
HEADERS = _sources(
    "tests/matrix/data/cuda",
    fp16=("HADD2", 80),
    bf16=("BF16_V2", 80),
    fp8=("E4M3", 90),
    cooperative=("SHFL", 80),
    tensor_core=("HMMA", 80),
    tma=("UTMALDG", 90),
)
# A kernel of one line.
EXP = 'extern "C" __global__ void f(float *x) { x[threadIdx.x] = expf(x[threadIdx.x]) / x[0]; }'
RING = Source(path=Path("examples/kernels/nvshmem_ring.cu"), operation="CALL")


def number(arch: str) -> int:
    """Return the number of an arch: 90 of "sm_90a"."""
    found = re.fullmatch(r"sm_(\d+)[af]?", arch)
    assert found, arch
    return int(found[1])


def require_dumped(folder: Path, source: str, product: bytes | bytearray) -> None:
    """Fail unless a dump holds the source and the PTX, which names its lines."""
    kept = {path.suffix: path for path in folder.iterdir() if path.is_file()}
    assert kept[".cu"].read_text(encoding="utf-8") == source
    assert kept[".ptx"].read_bytes() == product
    assert b".loc" in product


def inspect(product: Path, form: Format, source: Source, arch: str) -> list[Evidence]:
    """Read a product by every tool that reads its format; fail unless it is the source's kernel, whole, for the arch."""
    match form:
        case "cubin":
            return [*metadata(product, source, arch), instructions(product, source, arch)]
        case "ptx":
            return [_text(product.read_text(encoding="utf-8"), source, arch)]
        case "fatbin":
            return [_members(product, arch), _needs(product, source, arch)]


def metadata(product: Path, source: Source, arch: str) -> list[Evidence]:
    """Read a cubin's symbols and what its kernel needs."""
    facts, used = cubin.read(product), disassembly.usage(product)
    held = disassembly.members(product)
    assert held == {(arch, "cubin")}, held
    assert (facts.sm, facts.type) == (number(arch), "ET_EXEC"), facts
    kernels = {name for name in facts.kernels if not name.startswith(_RUNTIME)}
    assert kernels == {source.name}, kernels
    missing = {name for name in facts.undefined if not _BY_DRIVER.fullmatch(name)}
    assert not missing, f"{product.name} has undefined symbols: {sorted(missing)}"
    registers = facts.registers[source.name]
    # Two readers, one of the file and one of NVIDIA's, must agree.
    assert registers == used[source.name].registers
    left = ", ".join(sorted(facts.undefined)) or "none"
    detail = f"EM_CUDA, sm {facts.sm}, {facts.type}, kernel {source.name}, {registers} registers, frame {facts.frame[source.name]} bytes"
    return [inspected("pyelftools", f"{detail}; left to the driver: {left}"), _needs(product, source, arch)]


def instructions(product: Path, source: Source, arch: str) -> Evidence:
    """Disassemble a kernel: it must hold the source's operation. Stores to and loads from local memory are its spills."""
    found = disassembly.operations(product, source.name)
    wanted = source.operation if number(arch) >= source.since else "EXIT"
    shown = sum(times for name, times in found.items() if wanted in name)
    assert shown, f"no {wanted} in {source.name}: {sorted(found)}"
    spills = f"{count(found, 'STL')} STL, {count(found, 'LDL')} LDL"
    return inspected("nvdisasm", f"{found.total()} instructions, {shown} with {wanted}; {spills}")


def _needs(product: Path, source: Source, arch: str) -> Evidence:
    used = disassembly.usage(product)[source.name]
    assert used.registers > 0
    memory = f"stack {used.stack}, shared {used.shared}, local {used.local} bytes"
    return inspected("cuobjdump -res-usage", f"{source.name} for {arch}: {used.registers} registers; {memory}")


def _text(text: str, source: Source, arch: str) -> Evidence:
    (version,) = re.findall(r"^\.version (\d+\.\d+)$", text, re.MULTILINE)
    assert re.findall(r"^\.target (\w+)", text, re.MULTILINE) == [arch]
    kernels = dict(_PTX_KERNEL.findall(text))
    assert set(kernels) == {source.name}, set(kernels)
    parameters = kernels[source.name].count(".param")
    assert parameters > 0
    return inspected("its text", f"PTX {version}, target {arch}, entry {source.name} with {parameters} parameters")


def _members(product: Path, arch: str) -> Evidence:
    held = disassembly.members(product)
    assert {(arch, "cubin"), (arch, "ptx")} <= held, held
    listed = ", ".join(f"{name}.{kind}" for name, kind in sorted(held))
    return inspected("cuobjdump -lelf -lptx", listed)
