"""NVSHMEM: where it is, and its device library linked into a kernel, without a driver."""

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tvm.error import ToolNotFound, TVMError
from tvm.support._cuda import fatbin, nvcc_tool, nvjitlink, nvlink, nvrtc, paths, settings, toolkit
from tvm.support._cuda.arch import Arch
from tvm.support._cuda.job import Job
from tvm.support._cuda.nvjitlink import Link
from tvm.support._cuda.toolkit import Toolkit
from tvm.support.utils import is_file, is_folder

LIBRARY = "libnvshmem_device.a"
FORCE = "TVM_CUDA_NVSHMEM_PTX"
_SYSTEM = (Path("/usr/local"), Path("/usr"))
_HEADER = "nvshmem.h"
_RUNTIME = "libcudadevrt.a"
_FIX = "pip install nvidia-nvshmem-cu12 (or -cu13), or set NVSHMEM_HOME to the folder that holds its include and lib"


def find() -> tuple[Path, Path]:
    """Return the folders of NVSHMEM's headers and of its device library. ToolNotFound that lists the search."""
    looked = []
    for name, root in _roots():
        include = next((folder for folder in _includes(root) if is_file(folder / _HEADER)), None)
        lib = next((folder for folder in _libs(root) if is_file(folder / LIBRARY)), None)
        if include and lib:
            return include, lib
        looked.append(f"{name}: no {_HEADER}" if include is None else f"{name}: no {LIBRARY}")
    msg = "cannot find NVSHMEM"
    raise ToolNotFound(msg, looked=looked, fix=_FIX)


def by_nvrtc(job: Job) -> bytes:
    """Compile with NVRTC and link with nvJitLink."""
    include, library = _chosen(job.arch)
    prepared = _prepared(job, include)
    made = nvrtc.compile_program(prepared, job.arch.sm, products=("cubin",), nvshmem=True)
    libraries = (library, *_runtime(paths.for_version(nvjitlink.version())))
    return nvjitlink.link(_link(job, made["cubin"], libraries), timeout=job.timeout)


def by_nvcc(job: Job) -> bytes:
    """Compile with nvcc and link with the nvlink beside it."""
    include, library = _chosen(job.arch)
    found, _ = paths.with_program("nvcc")
    # -rdc=true -cubin, not -c: an object keeps the random names of nvcc's own temporary files.
    made = nvcc_tool.compile_source(_prepared(job, include), extra=("-rdc=true",))
    # The runtime of another release may be too new for this nvlink.
    return nvlink.link(_link(job, made, (library, *_runtime(found))), timeout=job.timeout)


def check(library: Path, arch: Arch) -> None:
    """Raise TVMError when the device library has no code for an architecture, or only PTX, which takes minutes to compile."""
    held = fatbin.held(library)
    # Code of one major version runs on its later minor versions.
    if any(number // 10 == arch.number // 10 and number <= arch.number for number in held.code):
        return
    names = ", ".join(f"sm_{number}" for number in sorted(held.code)) or "none"
    older = sorted(number for number in held.ptx if number <= arch.number)
    if not older:
        msg = f"NVSHMEM's device library has no code for {arch.sm}: {library} holds {names}"
        raise TVMError(
            msg, fix="compile for one of these, or install the NVSHMEM of a newer CUDA (nvidia-nvshmem-cu13)"
        )
    if not settings.is_on(FORCE):
        msg = (
            f"NVSHMEM's device library has no code for {arch.sm}, only PTX for sm_{older[-1]}, "
            f"which every link would compile anew (more than a minute): {library} holds {names}"
        )
        fix = f"install the NVSHMEM of CUDA 13 (nvidia-nvshmem-cu13), or set {FORCE}=1 to link it all the same"
        raise TVMError(msg, fix=fix)


def _chosen(arch: Arch) -> tuple[Path, Path]:
    include, lib = find()
    library = lib / LIBRARY
    check(library, arch)
    return include, library


def _prepared(job: Job, include: Path) -> Job:
    said = any(word.lstrip("-").startswith("std") for word in job.options)
    standard = () if said else ("--std=c++17",)
    return replace(job, options=(*standard, *job.options), folders=(*job.folders, include))


def _link(job: Job, cubin: bytes, libraries: tuple[Path, ...]) -> Link:
    return Link(arch=job.arch.sm, objects=((f"{Path(job.name).stem}.cubin", cubin),), libraries=libraries)


def _runtime(found: Toolkit | None) -> tuple[Path, ...]:
    file = found.library(_RUNTIME) if found else None
    return (file,) if file else ()


def _roots() -> Iterator[tuple[str, Path]]:
    if home := os.environ.get("NVSHMEM_HOME", "").strip():
        # What is set is meant: another NVSHMEM must not be used without a word.
        yield f"NVSHMEM_HOME={home}", Path(home).absolute()
        return
    for found in paths.toolkits():
        yield str(found.root), found.root
    for entry in dict.fromkeys(sys.path):
        wheel = Path(entry, "nvidia", "nvshmem")
        if wheel.is_absolute() and is_folder(wheel):
            yield f"wheel {wheel}", wheel
    if conda := os.environ.get("CONDA_PREFIX"):
        yield f"conda {conda}", Path(conda)
    for root in _SYSTEM:
        yield str(root), root


def _includes(root: Path) -> list[Path]:
    return [root / "include", *_newest(root / "include")]


def _libs(root: Path) -> list[Path]:
    plain = [root / "lib64", root / "lib"]
    debian = [folder / name for folder in plain for name in toolkit.multiarch_names()]
    versions = [folder for place in debian for folder in _newest(place / "nvshmem", prefix="")]
    return [*plain, *debian, *versions]


def _newest(folder: Path, *, prefix: str = "nvshmem_") -> list[Path]:
    """Return the sub-folders with a version after the prefix, the highest one first."""
    found = folder.glob(f"{prefix}*") if is_folder(folder) else ()
    named = (entry for entry in found if entry.name.removeprefix(prefix).replace(".", "").isdigit())
    return sorted(
        named,
        key=lambda entry: [int(part) for part in entry.name.removeprefix(prefix).split(".") if part],
        reverse=True,
    )
