"""Each toolchain that the wrappers use, as it stands on this machine: where it is and which version, or what is missing."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tvm.error import ToolNotFound, TVMError
from tvm.support import _llvm, _rocm_paths, cc, ndk, process
from tvm.support._arguments import command
from tvm.support._cuda import bindings, nvshmem, paths
from tvm.support._cuda import version as cuda_version


@dataclass(frozen=True, kw_only=True)
class Found:
    """A tool that is here: its path, and what it says of its version ("" where it does not)."""

    path: str
    version: str = ""


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One tool: its name, the module of tvm.support that uses it, and how it is found (ToolNotFound if it is not)."""

    name: str
    module: str
    find: Callable[[], Found]


@dataclass(frozen=True, kw_only=True)
class Report:
    """What is known of one tool here: `found`, or else why it is missing and what to do."""

    name: str
    module: str
    found: Found | None = None
    why: str = ""
    fix: str = ""


def survey() -> tuple[Report, ...]:
    """Look for every tool. A tool that is there but broken is missing, with what it said."""
    return tuple(map(_report, TOOLS))


def is_here(name: str) -> bool:
    """Whether the tool of this name is found."""
    return any(_report(tool).found for tool in TOOLS if tool.name == name)


def _report(tool: Tool) -> Report:
    try:
        return Report(name=tool.name, module=tool.module, found=tool.find())
    except TVMError as error:
        return Report(name=tool.name, module=tool.module, why=error.cause, fix=error.fix)


def _program(path: str) -> Found:
    return Found(path=path, version=process.identify(path).version)


def _compiler() -> Found:
    named = cc.get_cc()
    if named is None:
        msg = "no C++ compiler on PATH, and neither CXX nor CC is set"
        raise ToolNotFound(msg, fix="install g++ or clang++, or set CXX (on Windows: TVM_WIN_CC)")
    # CXX may hold arguments, or name a launcher first.
    return _program(process.locate(command(named)[0]))


def _ndk() -> Found:
    return _program(ndk._compiler()[0])  # noqa: SLF001 - the one that the wrapper uses


def _clang() -> Found:
    return _program(_llvm.find("clang")[0])


def _on_path(name: str, fix: str) -> Found:
    return _program(process.locate(name, fix=fix))


def _hipcc() -> Found:
    return _program(_rocm_paths.hipcc()[0])


def _lld() -> Found:
    return _program(_rocm_paths.find("ld.lld")[0])


def _nvcc() -> Found:
    toolkit, program = paths.with_program("nvcc")
    return Found(path=str(program), version=_dotted(cuda_version.of(toolkit.root)))


def _headers() -> Found:
    for toolkit in paths.toolkits():
        if toolkit.headers:
            return Found(path=str(toolkit.headers), version=_dotted(cuda_version.header_version(toolkit.headers) or ()))
    msg = "no CUDA toolkit with cuda_runtime.h"
    raise ToolNotFound(msg, looked=paths.looked(), fix="pip install 'tvm-matrix[cuda]', or set CUDA_PATH")


def _library(name: str) -> Found:
    module = bindings.load(name)
    asked = module.nvrtcVersion()[1:] if name == "nvrtc" else module.version()
    return Found(path=bindings.path(name), version=_dotted(tuple(asked)))


def _nvshmem() -> Found:
    return Found(path=str(nvshmem.find()[1] / nvshmem.LIBRARY))


def _device_libraries() -> Found:
    return Found(path=str(_rocm_paths.bitcode_folder(Path(_rocm_paths.find_rocm_path()))))


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


_EMCC = "install emscripten (Debian: emscripten), and put emcc on PATH"
_XCRUN = "on a Mac: xcode-select --install; elsewhere there is none"
TOOLS = (
    Tool(name="c++", module="cc", find=_compiler),
    Tool(name="clang", module="clang", find=_clang),
    Tool(name="ndk-clang", module="ndk", find=_ndk),
    Tool(name="emcc", module="emcc", find=partial(_on_path, "emcc", _EMCC)),
    Tool(name="nvrtc", module="nvcc", find=partial(_library, "nvrtc")),
    Tool(name="nvjitlink", module="nvcc", find=partial(_library, "nvjitlink")),
    Tool(name="nvfatbin", module="nvcc", find=partial(_library, "nvfatbin")),
    Tool(name="nvcc", module="nvcc", find=_nvcc),
    Tool(name="cuda-headers", module="nvcc", find=_headers),
    Tool(name="nvshmem", module="nvcc", find=_nvshmem),
    Tool(name="hipcc", module="rocm", find=_hipcc),
    Tool(name="ld.lld", module="rocm", find=_lld),
    Tool(name="rocm-device-libs", module="rocm", find=_device_libraries),
    Tool(name="xcrun", module="xcode", find=partial(_on_path, "xcrun", _XCRUN)),
)
