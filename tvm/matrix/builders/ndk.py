"""The toolchain of the image `ndk`: the Android NDK that TVM_NDK_CC points into."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tvm.error import ConfigError, ToolNotFound
from tvm.matrix.builders.job import Job, is_cxx
from tvm.support import ndk

_VARIABLE = "TVM_NDK_CC"
# Each ABI: the NDK's name for target and lowest API level, and the largest page of its devices in bytes (Android 15).
_ABIS = {
    "arm64-v8a": ("aarch64-linux-android24", 16384),
    "armeabi-v7a": ("armv7a-linux-androideabi24", 4096),
    "riscv64": ("riscv64-linux-android35", 16384),
    "x86": ("i686-linux-android24", 4096),
    "x86_64": ("x86_64-linux-android24", 16384),
}


@dataclass(frozen=True, kw_only=True)
class NdkToolchain:
    """clang for C, clang++ for C++ and for what holds any, of one ABI. `folder` holds the NDK's programs."""

    folder: Path
    target: str
    page: int

    def compile(self, source: Path, output: Path, options: Sequence[str]) -> None:
        """See Toolchain."""
        self._use(cxx=is_cxx(source))
        # create_shared also passes what only a linker reads; that must not fail a build with -Werror.
        ndk.create_shared(output, [source], options=["-c", "-Wno-unused-command-line-argument", *options])

    def shared(self, job: Job, objects: Sequence[Path]) -> None:
        """See Toolchain. A library gets its file's name as SONAME: Android's loader asks for one."""
        self._use(cxx=job.has_cxx)
        linked = [f"-Wl,-soname,{job.output.name}", f"-Wl,-z,max-page-size={self.page}"]
        ndk.create_shared(job.output, objects, options=[*linked, *job.options])

    def static(self, job: Job, objects: Sequence[Path]) -> None:
        """See Toolchain."""
        self._use(cxx=job.has_cxx)
        ndk.create_staticlib(job.output, objects)

    def executable(self, job: Job, objects: Sequence[Path]) -> None:
        """Refuse: an Android app loads libraries, and tvm.support.ndk makes no programs."""
        msg = f"{job.output.name}: the NDK's cells make no programs of {len(objects)} objects"
        raise ConfigError(msg, fix="give an output that ends in .so, .a or .o")

    def _use(self, *, cxx: bool) -> None:
        # tvm.support.ndk has no argument for it: the variable is its interface.
        os.environ[_VARIABLE] = str(self.folder / f"{self.target}-clang{'++' if cxx else ''}")


def toolchain(arch: str) -> NdkToolchain:
    """Return the toolchain of an ABI. ConfigError for an unknown one, ToolNotFound where TVM_NDK_CC does not say where it is."""
    if arch not in _ABIS:
        msg = f"no Android ABI: {arch!r}"
        raise ConfigError(msg, fix=f"one of: {', '.join(_ABIS)}")
    if not (compiler := os.environ.get(_VARIABLE)):
        msg = f"{_VARIABLE} is not set"
        raise ToolNotFound(msg, fix="run this in the image ndk, or set it to a compiler of the Android NDK")
    target, page = _ABIS[arch]
    return NdkToolchain(folder=Path(compiler).parent, target=target, page=page)
