"""Environment variables and pass options that change how CUDA is compiled. Read at call time."""

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

import tvm_ffi

from tvm.error import ConfigError
from tvm.support._cuda.errors import CudaArgumentError

_CONTEXT_GETTER = "transform.GetCurrentPassContext"
_LEVELS = range(11)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The folder that gets source and product (None: none), debug build, ptxas register level, extra words for each tool."""

    dump: Path | None
    debug: bool
    register_level: int
    ptxas: tuple[str, ...]
    nvrtc: tuple[str, ...]
    nvcc: tuple[str, ...]


class _PassContext(Protocol):
    config: Mapping[str, object]


def read() -> Settings:
    """Return the settings in force. ConfigError for a variable that cannot be understood."""
    dump = pass_option("cuda.kernels_output_dir") or os.environ.get("TVM_KERNEL_DUMP")
    return Settings(
        dump=Path(str(dump)).absolute() if dump else None,
        debug=is_on("TVM_KERNEL_DEBUG"),
        register_level=_register_level(),
        ptxas=_words("TVM_CUDA_PTXAS_EXTRA_OPTS"),
        nvrtc=_words("TVM_CUDA_NVRTC_EXTRA_OPTS"),
        nvcc=_words("TVM_CUDA_NVCC_EXTRA_OPTS"),
    )


def fast_math(given: bool | None, *, default: bool) -> bool:  # noqa: FBT001 - the value of a keyword
    """Return whether fast math is on: `given`, else off by TVM_CUDA_NVCC_NO_FAST_MATH, else the default."""
    if given is not None:
        return given
    return default and not is_on("TVM_CUDA_NVCC_NO_FAST_MATH")


def compile_mode() -> str:
    """Return the compiler that TVM_CUDA_COMPILE_MODE names: "nvrtc" (the default) or "nvcc"."""
    mode = os.environ.get("TVM_CUDA_COMPILE_MODE", "").strip().lower() or "nvrtc"
    if mode not in {"nvrtc", "nvcc"}:
        msg = f"TVM_CUDA_COMPILE_MODE is {mode!r}"
        raise CudaArgumentError(msg, fix="set it to nvrtc or nvcc, or unset it")
    return mode


def pass_option(name: str) -> object:
    """Return an option of the pass context in force, or None where there is no such option or no pass context."""
    current = tvm_ffi.get_global_func(_CONTEXT_GETTER, allow_missing=True)
    context = cast("_PassContext | None", current() if current else None)
    return context.config.get(name) if context else None


def is_on(name: str) -> bool:
    """Tell whether a switch is set to anything but the empty text and 0."""
    return os.environ.get(name, "").strip() not in {"", "0"}


def _register_level() -> int:
    text = os.environ.get("TVM_CUDA_PTXAS_REG_LEVEL", "").strip() or "10"
    if not (text.isascii() and text.isdigit() and int(text) in _LEVELS):
        msg = f"TVM_CUDA_PTXAS_REG_LEVEL is no level: {text!r}"
        raise ConfigError(msg, fix="set it to a number from 0 to 10, or unset it")
    return int(text)


def _words(name: str) -> tuple[str, ...]:
    text = os.environ.get(name, "")
    if not text:
        return ()
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        msg = f"cannot split {name}={text!r} into words: {error}"
        raise ConfigError(msg, fix="close the quote") from None
