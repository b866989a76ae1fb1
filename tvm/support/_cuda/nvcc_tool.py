"""nvcc: one source to PTX, a cubin or a fatbin, staged under a fixed name so that nothing random enters the product."""

import os
from collections.abc import Sequence
from pathlib import Path

from tvm.error import CompileError, ToolTimeoutError
from tvm.support import cache, process
from tvm.support._arguments import Arg
from tvm.support._cuda import dump, options, paths
from tvm.support._cuda.arch import Arch
from tvm.support._cuda.job import Job
from tvm.support._cuda.stage import staging

_CONSTEXPR = ("--expt-relaxed-constexpr", "--expt-extended-lambda")


def compile_source(job: Job, *, extra: Sequence[str] = ()) -> bytes:
    """Compile and return the product. CompileError with nvcc's text, in which the source has the user's name and lines."""
    _, nvcc = paths.with_program("nvcc")
    with staging(job.key("nvcc")) as folder:
        written = folder / (job.name if job.name.endswith(".cu") else f"{job.name}.cu")
        written.write_text(job.code, encoding="utf-8")
        # -lineinfo puts the time of the source into the product.
        os.utime(written, (0, 0))
        product = folder / f"{written.stem}.{job.target_format}"
        argv: list[Arg] = [nvcc, *arguments(job), *extra, *_keep(job, folder), "-o", product, written]
        try:
            done = _run(job, argv, written, product)
        finally:
            if (folder / "keep").is_dir():
                dump.intermediates(job, "nvcc", folder / "keep")
        job.log(done.output)
        return product.read_bytes() if product.is_file() else b""


def _run(job: Job, argv: Sequence[Arg], written: Path, product: Path) -> process.Completed:
    heading = "Compilation error"
    try:
        return cache.run(
            argv, heading=heading, timeout=job.timeout, inputs=[written], outputs=[product], tool=cache.Tool.NVCC
        )
    except ToolTimeoutError:
        raise
    except CompileError as error:
        output = error.output.replace(str(written), job.shown)
        raise CompileError(heading, command=error.command, code=error.code, output=output, fix=error.fix) from None


def arguments(job: Job) -> tuple[str, ...]:
    """Return nvcc's words for a job: all but input and output."""
    return (
        f"--{job.target_format}",
        "-O3",
        *options.observed(job.settings),
        *_archs(job),
        *options.common(job.settings, fast_math=job.fast_math),
        *_CONSTEXPR,
        *job.settings.nvcc,
        *job.options,
        *(f"-I{folder}" for folder in job.folders),
    )


def _archs(job: Job) -> tuple[str, ...]:
    match job.target_format:
        case "cubin":
            return (f"-arch={job.arch.sm}",)
        case "ptx":
            return (f"-arch={job.arch.compute}",)
        case _:
            return tuple(word for arch in job.archs for word in ("-gencode", _code(arch)))


def _code(arch: Arch) -> str:
    names = [*([arch.sm] if arch.cubin else []), *([arch.compute] if arch.ptx else [])]
    return f"arch={arch.compute},code=[{','.join(names)}]"


def _keep(job: Job, folder: Path) -> tuple[str, ...]:
    if job.settings.dump is None:
        return ()
    (folder / "keep").mkdir()
    return ("--keep", f"--keep-dir={folder / 'keep'}")
