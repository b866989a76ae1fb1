"""The toolchain of the image `rocm`: one source becomes one code object."""

from collections.abc import Callable
from pathlib import Path

from tvm.error import ConfigError, SourceError
from tvm.matrix.builders.job import Job
from tvm.support import rocm

_PRODUCTS = (".co", ".hsaco")


def build(job: Job) -> None:
    """Make the job's output of its one source (.hip, .cl, .ll, .bc). SourceError for another kind, ConfigError for another product."""
    if job.output.suffix not in _PRODUCTS:
        msg = f"{job.output.name}: ROCm's cells make code objects"
        raise ConfigError(msg, fix=f"give an output that ends in {' or '.join(_PRODUCTS)}")
    if len(job.sources) != 1:
        msg = f"{job.output.name}: a code object is made of one source, not of {len(job.sources)}"
        raise ConfigError(msg, fix="give one source; it may include the others")
    (source,) = job.sources
    make = _KINDS.get(source.suffix)
    if make is None:
        msg = f"{str(source)!r} is neither HIP, nor OpenCL C, nor LLVM IR"
        raise SourceError(msg, fix=f"name it with one of: {' '.join(_KINDS)}")
    make(job, source)


def _hip(job: Job, source: Path) -> None:
    rocm.compile_hip(source, job.arch, _options(job), job.output)


def _opencl(job: Job, source: Path) -> None:
    rocm.compile_opencl(source, job.arch, _options(job), job.output)


def _ir(job: Job, source: Path) -> None:
    # Folders for -I mean nothing to llc.
    rocm.compile_ir(source, job.arch, job.options, job.output)


def _options(job: Job) -> list[str]:
    """Return what clang gets; the user's options come last, so they win."""
    folders = (word for folder in job.includes for word in ("-I", folder))
    # Debug information and __FILE__ must not tell where the tree lay.
    return [f"-ffile-prefix-map={Path.cwd()}=.", *folders, *job.options]


_KINDS: dict[str, Callable[[Job, Path], None]] = {".hip": _hip, ".cl": _opencl, ".ll": _ir, ".bc": _ir}
