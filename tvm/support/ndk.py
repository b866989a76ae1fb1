"""The Android NDK's clang, which the environment variable TVM_NDK_CC names, and the LLVM tools beside it."""

import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from tvm.error import ToolNotFound
from tvm.support import _static, _triple, cc, process
from tvm.support._arguments import Arg, Args, command
from tvm.support._compile import Driver, build, job
from tvm.support._exporter import exporter
from tvm.support._platform import is_windows_like
from tvm.support.utils import is_file

_FIX = "set TVM_NDK_CC to the NDK's clang: toolchains/llvm/prebuilt/HOST/bin/TRIPLE+API-clang (aarch64-linux-android24-clang)"


def _compiler() -> tuple[str, ...]:
    """Return the words of TVM_NDK_CC, the first one the absolute path of a program."""
    given = os.environ.get("TVM_NDK_CC", "").strip()
    if not given:
        msg = "no NDK compiler: the environment variable TVM_NDK_CC is not set or empty"
        raise ToolNotFound(msg, fix=_FIX)
    program, *arguments = command(given)
    spelled = [program + suffix for suffix in _suffixes() if is_file(Path(program + suffix))]
    return (process.locate(spelled[0] if spelled else program, fix=_FIX), *arguments)


def _get_target_triple() -> str | None:
    try:
        return _triple.ask(_compiler())
    except ToolNotFound:
        return None


@exporter(output_format="so", get_target_triple=_get_target_triple)
def create_shared(
    output: Arg,
    objects: Args,
    options: Sequence[Arg] | None = None,
    *,
    cwd: Arg | None = None,
    ccache_env: Mapping[str, str] | None = None,
    launcher: str | None = None,
    timeout: float | None = None,
) -> None:
    """Link objects and sources into a shared library for Android.

    `-shared`, `-fPIC` and `-lm` are added to the options; all of them follow the objects. The other arguments are those of
    `cc.create_shared`. CompileError when the compiler fails, ToolNotFound when TVM_NDK_CC names none.
    """
    given = job(output, objects, options, cwd=cwd, ccache_env=ccache_env, launcher=launcher, timeout=timeout)
    build(Driver(command=_compiler(), options_last=True), replace(given, options=_with_defaults(given.options)))


@exporter(output_format="a", get_target_triple=_get_target_triple)
def create_staticlib(output: Arg, inputs: Args, *, timeout: float | None = None) -> None:
    """Pack objects into a static library with llvm-ar and llvm-ranlib; archives (.tar, .tar.gz, .tgz) are unpacked into it.

    CompileError when a tool fails, ToolNotFound when TVM_NDK_CC names no compiler or a tool is not beside it.
    """
    ar, ranlib = _beside("llvm-ar"), _beside("llvm-ranlib")
    _static.pack(output, inputs, ar=(ar, "qcs"), ranlib=(ranlib,), timeout=timeout)


def get_global_symbol_section_map(path: Arg, *, nm: Arg | None = None, timeout: float | None = None) -> dict[str, str]:
    """Return name -> section letter of the global symbols that a binary defines, by the NDK's llvm-nm unless `nm` is given."""
    return cc.get_global_symbol_section_map(path, nm=nm or Path(_beside("llvm-nm")), timeout=timeout)


class _Exportable(Protocol):
    def export_library(self, file_name: str, *, fcompile: object) -> object:
        """Write a library with a compile function."""


def _ndk_export(mod: _Exportable) -> str:
    """Export a module for Android into a new temporary folder and return the library's path. The folder is the caller's."""
    folder = Path(tempfile.mkdtemp())
    path = folder / "tmp_binary.so"
    try:
        mod.export_library(str(path), fcompile=create_shared)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return str(path)


def _with_defaults(options: tuple[str, ...]) -> tuple[str, ...]:
    front = (word for word in ("-shared", "-fPIC") if word not in options)
    back = (word for word in ("-lm",) if word not in options)
    return (*front, *options, *back)


def _beside(tool: str) -> str:
    """Return the path of an LLVM tool in the folder of the compiler, or of the file that the compiler links to."""
    compiler = Path(_compiler()[0])
    folders = dict.fromkeys((compiler.parent, compiler.resolve().parent))
    places = [str(folder / (tool + suffix)) for folder in folders for suffix in _suffixes()]
    for place in places:
        if is_file(Path(place)) and os.access(place, os.X_OK):
            return place
    msg = f"{tool} is not beside the NDK's compiler {str(compiler)!r}"
    raise ToolNotFound(msg, looked=places, fix=_FIX)


def _suffixes() -> tuple[str, ...]:
    return (".exe", ".cmd", "") if is_windows_like() else ("",)
