"""The toolchain of the image `host`: GCC, for the machine it runs on."""

import platform
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tvm.error import ConfigError
from tvm.matrix.builders.job import Job, is_cxx
from tvm.support import cc


@dataclass(frozen=True, kw_only=True)
class HostToolchain:
    """gcc for C, g++ for C++ and for what holds any."""

    def compile(self, source: Path, output: Path, options: Sequence[str]) -> None:
        """See Toolchain."""
        cc.create_executable(output, [source], options=["-c", *options], cc=_compiler(cxx=is_cxx(source)))

    def shared(self, job: Job, objects: Sequence[Path]) -> None:
        """See Toolchain."""
        cc.create_shared(job.output, objects, options=[*job.options, "-lm"], cc=_compiler(cxx=job.has_cxx))

    def static(self, job: Job, objects: Sequence[Path]) -> None:
        """See Toolchain."""
        cc.create_staticlib(job.output, objects)

    def executable(self, job: Job, objects: Sequence[Path]) -> None:
        """See Toolchain."""
        cc.create_executable(job.output, objects, options=[*job.options, "-lm"], cc=_compiler(cxx=job.has_cxx))


def toolchain(arch: str) -> HostToolchain:
    """Return the toolchain. ConfigError for an arch that is not this machine's."""
    if arch != platform.machine():
        msg = f"host builds for {platform.machine()}, not for {arch!r}"
        raise ConfigError(msg, fix=f"give --arch {platform.machine()}, or build in another cell")
    return HostToolchain()


def _compiler(*, cxx: bool) -> str:
    return "g++" if cxx else "gcc"
