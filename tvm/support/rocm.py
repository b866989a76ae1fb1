"""Code objects for AMD GPUs: ld.lld, the device libraries, the archs that are here, HIP, OpenCL C and LLVM IR."""

import hashlib
import os
import re
import warnings
from collections.abc import Sequence
from pathlib import Path

from tvm.error import ConfigError
from tvm.support import _amdgpu_ir, _bitcode, _code_object, _gfx, _hip, _rocm_arch, _rocm_paths, cache
from tvm.support._arguments import Arg, command, paths
from tvm.support._rocm_paths import find_rocm_path
from tvm.support._staging import private, staged

__all__ = [
    "callback_rocm_bitcode_path",
    "callback_rocm_link",
    "compile_hip",
    "compile_ir",
    "compile_opencl",
    "find_lld",
    "find_rocm_path",
    "get_rocm_arch",
    "have_matrixcore",
    "list_rocm_archs",
    "parse_compute_version",
    "rocm_link",
]

# What get_rocm_arch falls back to. Nothing that compiles or links does.
_FALLBACK = "gfx900"
# The newest code object that every ROCm since 5.6 loads.
_VERSION = 5
_COMPUTE_VERSION = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?")


def find_lld(required: bool = True) -> list[str]:  # noqa: FBT001, FBT002 - the seed's signature
    """Return the paths of every ld.lld, the one to use first: ROCM_PATH's or hipcc's, names with a version, PATH, /opt/rocm.

    ToolNotFound with the places that were tried if there is none and it is required.
    """
    return _rocm_paths.find("ld.lld", required=required)


def rocm_link(in_file: Arg, out_file: Arg, lld: Arg | None = None, *, timeout: float | None = None) -> None:
    """Link one AMDGPU object into a code object with ld.lld (`lld`, else the first of `find_lld`).

    CompileError when it fails: an undefined symbol, an object for another machine, an offload bundle. `timeout` in seconds.
    """
    linker = command(lld) if lld is not None else (find_lld()[0],)
    (given,) = paths(os.fspath(in_file), name="in_file")
    with staged(out_file) as stage:
        # -m: without it ld.lld takes an object for any machine, and links it for that one.
        flags = ["-m", "elf64_amdgpu", "--no-undefined", "-shared"]
        cache.run(
            [*linker, *flags, given, "-o", stage.product],
            heading="Linking error using ld.lld",
            timeout=timeout,
            inputs=[given],
            outputs=[stage.product],
            fix=_code_object.advice(Path(in_file)),
            tool=cache.Tool.CLOSED,
        )


def callback_rocm_link(obj_bin: bytes | bytearray) -> bytes:
    """Link an AMDGPU object and return the code object (the global function tvm_callback_rocm_link)."""
    data = bytes(obj_bin)
    with private(_code_object.folder_for([hashlib.sha256(data).hexdigest()])) as work:
        made, linked = work / "kernel.o", work / "kernel.co"
        made.write_bytes(data)
        rocm_link(made, linked)
        return linked.read_bytes()


def callback_rocm_bitcode_path(
    rocdl_dir: Arg | None = None,
    *,
    arch: str | None = None,
    wavefront: int | None = None,
    abi: int | None = None,
    daz: bool = False,
    finite_only: bool = False,
    unsafe_math: bool = False,
    correctly_rounded_sqrt: bool = True,
) -> list[str]:
    """Return the device libraries of one processor, in the order to link them; one of each pair, never both.

    `rocdl_dir` is their folder (None: ROCm's), `arch` the target ID (None: the current target's, else TVM_ROCM_ARCH, else
    the first GPU that rocminfo sees), `wavefront` 32 or 64 (None: the processor's own), `abi` 400, 500 or 600 (None: 500, else the highest there).
    ConfigError without an arch, ToolNotFound with the name of a library that is missing.
    """
    gfx = _rocm_arch.chosen(arch)
    wave = _gfx.wave_size(gfx, wavefront)
    folder = _bitcode.folder_of(None if rocdl_dir is None else Path(rocdl_dir))
    maths = _bitcode.Maths(
        daz=daz, finite_only=finite_only, unsafe=unsafe_math, correctly_rounded_sqrt=correctly_rounded_sqrt
    )
    return _bitcode.select(folder, gfx, wave=wave, abi=abi, maths=maths)


def parse_compute_version(compute_version: str) -> tuple[int, int]:
    """Return major and minor of a version ("9.4", "9.0.10"). ConfigError when it is none."""
    major, minor, _ = _version(compute_version)
    return major, minor


def have_matrixcore(compute_version: str | None = None) -> bool:
    """Tell whether a GPU has instructions that multiply matrices: CDNA (gfx908, gfx90a, gfx94x, gfx950), RDNA 3 and 4.

    `compute_version` is "9.4", "9.0.10" or an arch ("gfx90a"); None is the first GPU here. "9.0" is what CDNA 1 and 2
    report, so it is True; Vega reports the same, and only its arch tells it apart. ConfigError without a GPU.
    """
    if compute_version is None:
        compute_version = _first_gpu()
    if compute_version.startswith("gfx"):
        gfx = _gfx.parse(compute_version)
        return _gfx.has_matrix_instructions(gfx.major, gfx.minor, gfx.stepping)
    major, minor, stepping = _version(compute_version)
    if (major, minor, stepping) == (9, 0, None):
        return True
    return _gfx.has_matrix_instructions(major, minor, stepping)


def get_rocm_arch(rocm_path: Arg | None = None, *, required: bool = False) -> str:
    """Return the arch of the first GPU: TVM_ROCM_ARCH, else what rocminfo of `rocm_path` (None: of ROCm's folder) sees.

    Without one: "gfx900" and one warning that says what was asked; ConfigError if it is `required`.
    """
    if required:
        return _rocm_arch.require(rocm_path)[0]
    answer = _rocm_arch.ask(rocm_path)
    if answer.archs:
        return answer.archs[0]
    warnings.warn(f"no AMD GPU: {answer.why}; {_FALLBACK} is assumed: {_rocm_arch.FIX}", RuntimeWarning, stacklevel=2)
    return _FALLBACK


def list_rocm_archs(rocm_path: Arg | None = None) -> list[str]:
    """Return the archs of all GPUs, each once: those of TVM_ROCM_ARCH, else those that rocminfo sees. ConfigError without one."""
    return list(_rocm_arch.require(rocm_path))


def compile_hip(
    code: Arg,
    arch: str | None = None,
    options: Sequence[Arg] | None = None,
    path_target: Arg | None = None,
    *,
    wavefront: int | None = None,
    code_object_version: int = _VERSION,
    timeout: float | None = None,
) -> bytes:
    """Compile HIP (a path, or the source itself) by hipcc and return the code object: an ELF file, no bundle.

    `arch` and `wavefront` as in `callback_rocm_bitcode_path`, `options` go to clang, `path_target` names a file that gets
    the code object too, `code_object_version` is 4, 5 or 6, `timeout` is in seconds. CompileError when it fails.
    """
    wanted = _code_object.wanted(arch, wavefront, code_object_version, options)
    _hip.check(wanted.options)

    def build(source: str, product: str, work: Path) -> None:
        _hip.compile_hip(source, product, work, wanted, timeout=timeout)

    return _code_object.make(code, "kernel.hip", path_target, wanted, build)


def compile_opencl(
    code: Arg,
    arch: str | None = None,
    options: Sequence[Arg] | None = None,
    path_target: Arg | None = None,
    *,
    wavefront: int | None = None,
    code_object_version: int = _VERSION,
    timeout: float | None = None,
) -> bytes:
    """Compile OpenCL C by clang and return the code object. The arguments are those of `compile_hip`."""
    wanted = _code_object.wanted(arch, wavefront, code_object_version, options)
    _hip.check(wanted.options)

    def build(source: str, product: str, work: Path) -> None:
        _hip.compile_opencl(source, product, work, wanted, timeout=timeout)

    return _code_object.make(code, "kernel.cl", path_target, wanted, build)


def compile_ir(
    code: Arg,
    arch: str | None = None,
    options: Sequence[Arg] | None = None,
    path_target: Arg | None = None,
    *,
    wavefront: int | None = None,
    code_object_version: int = _VERSION,
    rocdl_dir: Arg | None = None,
    timeout: float | None = None,
) -> bytes:
    """Compile LLVM IR for AMD GPUs (.ll, .bc, or its text) with the device libraries and return the code object.

    llvm-link, opt, llc and ld.lld run in turn; `options` go to llc. The other arguments are those of `compile_hip` and
    `callback_rocm_bitcode_path`. ConfigError where the module says that it is for another processor, size of waves or code
    object version; CompileError when it is for another target, or a tool fails or does not know the processor.
    """
    wanted = _code_object.wanted(arch, wavefront, code_object_version, options)
    folder = _bitcode.folder_of(None if rocdl_dir is None else Path(rocdl_dir))
    abi = code_object_version * 100
    libraries = _bitcode.select(folder, wanted.gfx, wave=wanted.wave, abi=abi, maths=_bitcode.Maths())

    def build(source: str, product: str, work: Path) -> None:
        module = _amdgpu_ir.parse(source, work, timeout=timeout)
        _amdgpu_ir.check(module, wanted)
        rocm_link(_amdgpu_ir.compile_object(module, libraries, wanted, work, timeout=timeout), product, timeout=timeout)

    return _code_object.make(code, "kernel.ll", path_target, wanted, build)


def _first_gpu() -> str:
    answer = _rocm_arch.ask(None)
    if not answer.archs:
        msg = f"No ROCm runtime found: {answer.why}"
        raise ConfigError(msg, fix=f"{_rocm_arch.FIX}, or pass the version")
    return answer.archs[0]


def _version(text: str) -> tuple[int, int, int | None]:
    hit = _COMPUTE_VERSION.match(text)
    if hit is None:
        msg = f"Compute version parsing error: {text!r}"
        raise ConfigError(msg, fix='give "MAJOR.MINOR", such as "9.4"')
    return int(hit[1]), int(hit[2]), int(hit[3]) if hit[3] else None
