"""What this installation can do on this machine, and a description of it for a bug report."""

import json
import os
import platform
import sys
import textwrap
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import tvm
from tvm.support._there import is_file

__all__ = ["describe", "libinfo"]


def libinfo() -> dict[str, str]:
    """Return each build option of apache-tvm with "ON" or "OFF": whether what it stands for is found on this machine now.

    There is no compiled core, so nothing was chosen when the package was built. A variable TVM_NAME (TVM_USE_CUDA=OFF)
    overrides what was found, as it stands.
    """
    return {name: os.environ.get(f"TVM_{name}") or ("ON" if found() else "OFF") for name, found in _OPTIONS.items()}


def describe() -> None:
    """Print versions of the package, of Python and of the system, and `libinfo()` as JSON."""
    python = f"{' '.join(sys.version.splitlines())} ({sys.maxsize.bit_length() + 1} bit)"
    system = platform.uname()
    print("Python Environment")
    print(f"  TVM version    = {tvm.__version__}")
    print(f"  Python version = {python}")
    print(f"  uname          = {system.system} {system.release} {system.version} {system.machine}")
    print("CMake Options:")
    print(textwrap.indent(json.dumps(libinfo(), indent=2, sort_keys=True), "  "))


# What looks is loaded at the first question: `import tvm.support` comes here, and must stay cheap.


def _tool(*names: str) -> bool:
    from tvm.support import _toolchains  # noqa: PLC0415 - see above

    return any(map(_toolchains.is_here, names))


def _library(name: str) -> bool:
    from tvm.support import _loader_path  # noqa: PLC0415 - see above

    return _loader_path.find(name) is not None


def _header(name: str, *variables: str) -> bool:
    """Whether a header is in a CUDA toolkit's folders, in those below what a variable names, or in the system's."""
    from tvm.support._cuda import paths  # noqa: PLC0415 - see above

    toolkits = (folder for toolkit in paths.toolkits() for folder in toolkit.includes)
    named = (Path(os.environ[variable], "include") for variable in variables if os.environ.get(variable))
    return any(
        is_file(folder / name) for folder in (*named, *toolkits, Path("/usr/include"), Path("/usr/local/include"))
    )


def _hexagon() -> bool:
    """Whether HEXAGON_TOOLCHAIN names Qualcomm's toolchain (its bin holds hexagon-clang)."""
    root = os.environ.get("HEXAGON_TOOLCHAIN")
    return bool(root) and is_file(Path(root or "", "bin", "hexagon-clang"))


_OPTIONS: Mapping[str, Callable[[], bool]] = {
    "USE_CUDA": partial(_tool, "nvrtc", "nvcc"),
    "USE_CUDNN": partial(_library, "cudnn"),
    "USE_CUTLASS": partial(_header, "cutlass/cutlass.h", "CUTLASS_HOME", "CUTLASS_PATH"),
    "USE_NCCL": partial(_library, "nccl"),
    "USE_NVSHMEM": partial(_tool, "nvshmem"),
    "USE_NVTX": partial(_header, "nvtx3/nvToolsExt.h"),
    "USE_LLVM": partial(_tool, "clang"),
    "USE_ROCM": partial(_tool, "hipcc", "rocm-device-libs"),
    "USE_METAL": partial(_tool, "xcrun"),
    "USE_OPENCL": partial(_library, "OpenCL"),
    "USE_VULKAN": partial(_library, "vulkan"),
    "USE_CLML": partial(_header, "CL/cl_qcom_ml_ops.h"),
    "USE_HEXAGON": _hexagon,
    "USE_NNAPI_CODEGEN": partial(_header, "android/NeuralNetworks.h"),
    "USE_NNAPI_RUNTIME": partial(_library, "neuralnetworks"),
}
