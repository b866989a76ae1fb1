"""From a job to bytes: which tools make which product."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from tvm.error import TVMError
from tvm.support._cuda import dump, fatbin, nvcc_tool, nvjitlink, nvlink, nvrtc, nvshmem
from tvm.support._cuda.errors import CudaArgumentError
from tvm.support._cuda.fatbin import Entry
from tvm.support._cuda.job import Job
from tvm.support._cuda.nvjitlink import Link

Compiler = Literal["nvrtc", "nvcc"]
COMPILERS = ("nvrtc", "nvcc")


def checked_compiler(name: str) -> Compiler:
    """Return the name of a compiler, or raise CudaArgumentError."""
    if name not in COMPILERS:
        msg = f"compiler is {name!r}"
        raise CudaArgumentError(msg, fix='pass compiler="nvrtc" or compiler="nvcc"')
    return "nvcc" if name == "nvcc" else "nvrtc"


def make(job: Job, compiler: Compiler) -> bytes:
    """Return the product. CompileError when a tool fails, TVMError when it ends well but without a product."""
    dump.source(job, compiler)
    made = _made(job, compiler)
    if not made:
        msg = f"{compiler} ended without an error, but its {job.target_format} is empty"
        raise TVMError(msg, fix="take out the options that ask for another product (-dlto, -dryrun, -E)")
    dump.product(job, compiler, made)
    return made


def link(
    objects: Sequence[bytes | bytearray],
    arch: str,
    libraries: Sequence[Path],
    compiler: Compiler,
    timeout: float | None,
) -> bytes:
    """Return one cubin, linked from relocatable ones."""
    named = tuple((f"object{number}.cubin", bytes(data)) for number, data in enumerate(objects))
    given = Link(arch=arch, objects=named, libraries=tuple(libraries))
    return nvlink.link(given, timeout=timeout) if compiler == "nvcc" else nvjitlink.link(given, timeout=timeout)


def _made(job: Job, compiler: Compiler) -> bytes:
    match compiler:
        case "nvcc":
            return nvshmem.by_nvcc(job) if job.nvshmem else nvcc_tool.compile_source(job)
        case "nvrtc":
            return nvshmem.by_nvrtc(job) if job.nvshmem else _by_nvrtc(job)


def _by_nvrtc(job: Job) -> bytes:
    match job.target_format:
        case "cubin":
            return nvrtc.compile_program(job, job.arch.sm, products=("cubin",))["cubin"]
        case "ptx":
            return nvrtc.compile_program(job, job.arch.compute, products=("ptx",))["ptx"]
        case _:
            return fatbin.pack(tuple(_entries(job)), timeout=job.timeout)


def _entries(job: Job) -> list[Entry]:
    entries = []
    for arch in job.archs:
        kinds = (*(["cubin"] if arch.cubin else []), *(["ptx"] if arch.ptx else []))
        made = nvrtc.compile_program(job, arch.sm if arch.cubin else arch.compute, products=kinds)
        name = f"{arch.number}{arch.suffix}"
        entries += [Entry(arch=name, kind=kind, data=made[kind], name=job.name) for kind in kinds]
    return entries
