"""HIP and OpenCL C to code objects: hipcc and clang, one arch, the bare ELF file, the same bytes in any folder."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from tvm.error import CompileError, ConfigError
from tvm.support import _rocm_paths, process
from tvm.support._code_object import Code

# The call's own arguments say the same. hipcc hands the values of the first two to a shell, unquoted.
_OURS = ("-o", "--offload-arch", "--cuda-gpu-arch", "-mcpu=", "--target=")

_HEADING = "Compilation error"
# What clang says, and what to do about it.
_ADVICE = {
    "invalid target ID": "use a clang that knows it (ROCM_PATH, TVM_LLVM_VERSION), or choose another arch",
    "cannot find ROCm device library": "install newer device libraries, set ROCM_PATH, or choose another arch",
    "with wavefront size": "leave wavefront out: HIP's headers take the processor's own size only; LLVM IR and OpenCL C take both",
}


def check(options: Sequence[str]) -> None:
    """Refuse options that would say what the call says. ConfigError."""
    for option in options:
        if option.startswith(_OURS):
            msg = f"option {option!r}: the output and the arch are arguments of the call"
            raise ConfigError(msg, fix="take it out of the options")


def compile_hip(source: str, product: str, work: Path, code: Code, *, timeout: float | None) -> None:
    """Make a code object of a HIP source with hipcc."""
    program, root = _rocm_paths.hipcc()
    libraries = f"--rocm-device-lib-path={_rocm_paths.bitcode_folder(root)}"
    # -fuse-cuid=none: a hash of the source's absolute path would enter the file.
    ours = ["--genco", f"--offload-arch={code.gfx.target_id}", "--no-gpu-bundle-output", "-fuse-cuid=none", libraries]
    # The output as one word: hipcc hands the word after a bare -o to a shell, unquoted.
    argv = [program, "-x", "hip", *ours, *_common(code, work), *code.options, f"-o{product}", source]
    _run(argv, source, product, env={**os.environ, "ROCM_PATH": str(root.absolute())}, timeout=timeout)


def compile_opencl(source: str, product: str, work: Path, code: Code, *, timeout: float | None) -> None:
    """Make a code object of an OpenCL C source with clang."""
    libraries = _rocm_paths.bitcode_folder(Path(_rocm_paths.find_rocm_path()))
    ours = ["--target=amdgcn-amd-amdhsa", f"-mcpu={code.gfx.target_id}", f"--rocm-device-lib-path={libraries}"]
    clang = _rocm_paths.find("clang")[0]
    argv = [clang, "-x", "cl", *ours, *_common(code, work), *code.options, "-o", product, source]
    _run(argv, source, product, env=None, timeout=timeout)


def _common(code: Code, work: Path) -> list[str]:
    wave = [] if code.wave == code.gfx.waves[0] else [f"-mwavefrontsize{code.wave}"]
    # Where a source that came as text was staged must not show.
    return ["-O3", f"-mcode-object-version={code.version}", f"-ffile-prefix-map={work}=.", *wave]


def _run(
    argv: Sequence[str], source: str, product: str, *, env: Mapping[str, str] | None, timeout: float | None
) -> None:
    try:
        process.run(argv, heading=_HEADING, env=env, timeout=timeout, inputs=[source], outputs=[product])
    except CompileError as error:
        fix = next((fix for said, fix in _ADVICE.items() if said in error.output), "")
        if not fix:
            raise
        raise CompileError(_HEADING, command=error.command, code=error.code, output=error.output, fix=fix) from None
