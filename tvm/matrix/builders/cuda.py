"""The toolchain of the images `cuda-12` and `cuda-13`: NVRTC, which knows every arch of their cells, and nvJitLink."""

from pathlib import Path

from tvm.error import ConfigError, SourceError
from tvm.matrix.builders.job import Job
from tvm.support import nvcc

_FORMATS = {".cubin": "cubin", ".ptx": "ptx", ".fatbin": "fatbin"}
_SUFFIX = ".cu"


def build(job: Job) -> None:
    """Make the job's output of CUDA C++. SourceError for another language, ConfigError for another product.

    Several sources are compiled to relocatable code and linked to one cubin. NVSHMEM is linked in where a source includes it.
    """
    form = _FORMATS.get(job.output.suffix)
    if form is None:
        msg = f"{job.output.name}: CUDA's cells make device code"
        raise ConfigError(msg, fix=f"give an output that ends in one of: {' '.join(_FORMATS)}")
    for source in job.sources:
        _require_cuda(source)
    if len(job.sources) == 1:
        nvcc.compile_cuda(job.sources[0], form, job.arch, _options(job), job.output)
        return
    if form != "cubin":
        msg = f"{job.output.name}: a {form} is made of one source, not of {len(job.sources)}"
        raise ConfigError(msg, fix="give one source, or an output that ends in .cubin")
    parts = [_relocatable(job, source) for source in job.sources]
    nvcc.link_cuda(parts, job.arch, path_target=job.output)


def _relocatable(job: Job, source: Path) -> bytes:
    return bytes(nvcc.compile_cuda(source, "cubin", job.arch, [*_options(job), "-rdc=true"]))


def _require_cuda(source: Path) -> None:
    if source.suffix != _SUFFIX:
        msg = f"{str(source)!r} is not CUDA C++"
        raise SourceError(msg, fix=f"name it with {_SUFFIX}")


def _options(job: Job) -> list[str]:
    """Return what the compiler gets; the user's options come last, so they win."""
    return [*(word for folder in job.includes for word in ("-I", folder)), *job.options]
