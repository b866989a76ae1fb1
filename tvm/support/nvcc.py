"""CUDA: source to cubin, PTX or fatbin by NVRTC or nvcc, with or without a GPU; and where CUDA is, and what a GPU can do."""

import os
import warnings
from collections.abc import Sequence
from pathlib import Path

from tvm.error import TVMError
from tvm.support._arguments import Arg
from tvm.support._cuda import arch as archs
from tvm.support._cuda import caps, libdevice, nvshmem, options, paths, product, settings, source, version
from tvm.support._cuda.caps import parse_compute_version
from tvm.support._cuda.job import job
from tvm.support._staging import staged

__all__ = [
    "callback_libdevice_path",
    "compile_cuda",
    "find_cuda_path",
    "find_libdevice_path",
    "find_nvshmem_paths",
    "get_cuda_version",
    "get_target_compute_version",
    "have_bf16",
    "have_cudagraph",
    "have_fp4",
    "have_fp8",
    "have_fp16",
    "have_int8",
    "have_tensorcore",
    "link_cuda",
    "parse_compute_version",
    "tvm_callback_cuda_compile",
]

# CUDA graphs came with this toolkit.
_GRAPH = (10, 0)
_FAST_MATH = "tirx.enable_fast_math"


def compile_cuda(
    code: str | os.PathLike[str],
    target_format: str | None = None,
    arch: str | Sequence[str] | None = None,
    options: str | Sequence[str] | None = None,
    path_target: Arg | None = None,
    compiler: str = "nvrtc",
    *,
    fast_math: bool | None = None,
    timeout: float | None = None,
) -> bytearray:
    """Compile CUDA C++ and return the product; `path_target` names a file that gets it too.

    `code` is the source, or a Path to read it from (whose folder is then searched for its headers). `target_format` is
    "cubin", "ptx" or "fatbin"; None: a cubin from NVRTC, PTX from nvcc. `arch` is "sm_90a" or "compute_90a", whichever way the
    format needs it, for a fatbin also a list (sm_X gives code and PTX, compute_X PTX alone); None: as `options` say. Options
    that only nvcc has are left out for NVRTC. `fast_math` None: on, unless TVM_CUDA_NVCC_NO_FAST_MATH is set. A source that
    includes NVSHMEM is linked with its device library. `timeout` is in seconds, for each call of a tool.

    CompileError with the tool's text, in which the source has its own name and lines; ToolNotFound that lists the search;
    CudaArgumentError (a ValueError) for a wrong argument.
    """
    chosen = product.checked_compiler(compiler)
    named, words = _named_archs(arch, options)
    given = job(
        code,
        target_format,
        named,
        words,
        default_format="ptx" if chosen == "nvcc" else "cubin",
        fast_math=settings.fast_math(fast_math, default=True),
        timeout=timeout,
    )
    if path_target is None:
        return bytearray(product.make(given, chosen))
    with staged(path_target) as stage:
        made = product.make(given, chosen)
        (stage.folder / stage.name).write_bytes(made)
    return bytearray(made)


def link_cuda(
    objects: Sequence[bytes | bytearray],
    arch: str,
    *,
    libraries: Sequence[Arg] = (),
    path_target: Arg | None = None,
    compiler: str = "nvrtc",
    timeout: float | None = None,
) -> bytearray:
    """Link relocatable cubins (compiled with `-rdc=true`), and libraries of device code (.a), to one cubin for `arch`.

    By nvJitLink, or for compiler="nvcc" by nvlink; neither needs a driver. CompileError with the linker's text.
    """
    chosen = product.checked_compiler(compiler)
    files = [Path(library).absolute() for library in libraries]
    made = product.link(objects, archs.parse(arch).sm, files, chosen, timeout)
    if path_target is not None:
        with staged(path_target) as stage:
            (stage.folder / stage.name).write_bytes(made)
    return bytearray(made)


def tvm_callback_cuda_compile(code: str, target: object = None) -> bytes:
    """Compile what a code generator printed, for the arch of `target`: a cubin by NVRTC, a fatbin by nvcc.

    TVM_CUDA_COMPILE_MODE says which of them. Fast math is on only if the pass option tirx.enable_fast_math asks for it.
    """
    mode = settings.compile_mode()
    wanted = None if source.uses_nvshmem(code) else {"nvrtc": "cubin", "nvcc": "fatbin"}[mode]
    fast = settings.fast_math(None, default=bool(settings.pass_option(_FAST_MATH)))
    return bytes(compile_cuda(code, wanted, arch=_arch_of(target), compiler=mode, fast_math=fast))


def find_cuda_path() -> str:
    """Return the root of the first CUDA toolkit: CUDA_PATH, CUDA_HOME, nvcc on PATH, conda, pip's wheels, Debian's, /usr/local.

    ToolNotFound that lists the search when there is none, or when a variable names a folder without one.
    """
    return str(paths.first().root)


def get_cuda_version(cuda_path: Arg | None = None) -> tuple[int, ...]:
    """Return the version of a toolkit (None: of the first one) as numbers, (12, 9, 1) or (12, 9), read from its files if it can be."""
    return version.of(paths.first().root if cuda_path is None else Path(cuda_path))


def find_nvshmem_paths() -> tuple[str, str]:
    """Return the folders of NVSHMEM's headers and of its device library. ToolNotFound that lists the search."""
    include, lib = nvshmem.find()
    return str(include), str(lib)


def find_libdevice_path(arch: int | str) -> str:
    """Return the libdevice bitcode for an arch (80, "80", "sm_80"). ToolNotFound that lists the search."""
    return str(libdevice.find(arch))


def callback_libdevice_path(arch: int | str) -> str:
    """Return the libdevice bitcode for an arch, or "" with a warning where there is none."""
    try:
        return find_libdevice_path(arch)
    except TVMError as error:
        warnings.warn(str(error), stacklevel=2)
        return ""


def get_target_compute_version(target: object = None) -> str:
    """Return the compute version of a target, "8.0" or "9.0.a": of an arch name, or of an object with `arch` or `attrs`.

    Without a target it is that of the current one (`with Target(...):`), else of the first GPU here. CudaArgumentError (a
    ValueError) when there is no arch.
    """
    return caps.version_of(target)


def have_fp16(compute_version: object) -> bool:
    """Tell whether half precision arithmetic is there. A version is "9.0", 9.0, (9, 0), "sm_90" or a target; so below."""
    return caps.capability(compute_version) >= caps.FP16


def have_int8(compute_version: object) -> bool:
    """Tell whether the 8-bit dot product (dp4a) is there."""
    return caps.capability(compute_version) >= caps.INT8


def have_tensorcore(compute_version: object = None, target: object = None) -> bool:
    """Tell whether tensor cores are there; without a version as `target` says, and without both it warns and says no."""
    given = target if compute_version is None else compute_version
    if given is None or (compute_version is None and caps.arch_name(target) is None):
        warnings.warn("tensor cores are taken as absent: no compute version and no target with an arch", stacklevel=2)
        return False
    return caps.capability(given) >= caps.TENSORCORE


def have_cudagraph() -> bool:
    """Tell whether the toolkit has CUDA graphs; without a toolkit it has none."""
    try:
        return get_cuda_version() >= _GRAPH
    except TVMError:
        return False


def have_bf16(compute_version: object) -> bool:
    """Tell whether bfloat16 arithmetic is there."""
    return caps.capability(compute_version) >= caps.BF16


def have_fp8(compute_version: object) -> bool:
    """Tell whether 8-bit floating point is there."""
    return caps.capability(compute_version) >= caps.FP8


def have_fp4(compute_version: object) -> bool:
    """Tell whether 4-bit floating point is there."""
    return caps.capability(compute_version) >= caps.FP4


def _named_archs(
    arch: str | Sequence[str] | None, given: str | Sequence[str] | None
) -> tuple[str | Sequence[str], tuple[str, ...]]:
    """Return the architectures to compile for, and the options without words that name them."""
    words = options.words(given)
    if arch is not None:
        return arch, words
    named, others = archs.split(words)
    return named or _arch_of(None), others


def _arch_of(target: object) -> str:
    version_text = get_target_compute_version(target)
    return f"sm_{version_text.replace('.', '')}"
