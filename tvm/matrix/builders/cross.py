"""The toolchains of the image `cross`: Debian's GCC for other Linux machines, MinGW-w64 for Windows, clang and lld for Apple's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tvm.error import ConfigError
from tvm.matrix.builders.job import Job, Toolchain, is_cxx
from tvm.support import cc, xcode


@dataclass(frozen=True, kw_only=True)
class GnuToolchain:
    """GCC and binutils whose names begin with a triple. `suffix` is that of a shared library, `linked` goes to each link."""

    triple: str
    suffix: str = ".so"
    linked: tuple[str, ...] = ("-lm",)

    def compile(self, source: Path, output: Path, options: Sequence[str]) -> None:
        """See Toolchain."""
        cc.create_executable(output, [source], options=["-c", *options], cc=self._compiler(cxx=is_cxx(source)))

    def shared(self, job: Job, objects: Sequence[Path]) -> None:
        """See Toolchain."""
        _require_suffix(job, self.suffix)
        options = [*job.options, *self.linked]
        cc.create_shared(job.output, objects, options=options, cc=self._compiler(cxx=job.has_cxx))

    def static(self, job: Job, objects: Sequence[Path]) -> None:
        """See Toolchain."""
        cc.create_staticlib(job.output, objects, ar=f"{self.triple}-ar")

    def executable(self, job: Job, objects: Sequence[Path]) -> None:
        """See Toolchain."""
        options = [*job.options, *self.linked]
        cc.create_executable(job.output, objects, options=options, cc=self._compiler(cxx=job.has_cxx))

    def _compiler(self, *, cxx: bool) -> str:
        return f"{self.triple}-{'g++' if cxx else 'gcc'}"


@dataclass(frozen=True, kw_only=True)
class AppleToolchain:
    """clang and lld as xcrun finds them, for an SDK and an arch."""

    sdk: str
    arch: str
    minimum: str

    def compile(self, source: Path, output: Path, options: Sequence[str]) -> None:
        """See Toolchain."""
        # create_dylib also passes what only a linker reads; that must not fail a build with -Werror.
        self._dylib(output, [source], ["-c", "-Wno-unused-command-line-argument", *options])

    def shared(self, job: Job, objects: Sequence[Path]) -> None:
        """See Toolchain."""
        _require_suffix(job, ".dylib")
        self._dylib(job.output, objects, job.options)

    def static(self, job: Job, objects: Sequence[Path]) -> None:
        """See Toolchain."""
        cc.create_staticlib(job.output, objects, ar="llvm-ar")

    def executable(self, job: Job, objects: Sequence[Path]) -> None:
        """Refuse: an app loads libraries, and tvm.support.xcode makes no programs."""
        msg = f"{job.output.name}: tvm.support.xcode makes no program of {len(objects)} objects"
        raise ConfigError(msg, fix="give an output that ends in .dylib, .a or .o")

    def _dylib(self, output: Path, objects: Sequence[Path], options: Sequence[str]) -> None:
        xcode.create_dylib(output, objects, self.arch, self.sdk, self.minimum, options)


# GNU ld writes the time of the link into a file for Windows, and takes a library's address from a hash of the output's path.
# libstdc++ and libgcc are on no Windows.
_WINDOWS = ("-Wl,--no-insert-timestamp", "-Wl,--disable-auto-image-base", "-static-libgcc", "-static-libstdc++")
_TOOLCHAINS: Mapping[str, Toolchain] = {
    "aarch64": GnuToolchain(triple="aarch64-linux-gnu"),
    "armhf": GnuToolchain(triple="arm-linux-gnueabihf"),
    "ios-arm64": AppleToolchain(sdk="iphoneos", arch="arm64", minimum="13.0"),
    "ios-simulator-arm64": AppleToolchain(sdk="iphonesimulator", arch="arm64", minimum="14.0"),
    "ios-simulator-x86_64": AppleToolchain(sdk="iphonesimulator", arch="x86_64", minimum="13.0"),
    "macos-arm64": AppleToolchain(sdk="macosx", arch="arm64", minimum="11.0"),
    "macos-x86_64": AppleToolchain(sdk="macosx", arch="x86_64", minimum="10.15"),
    "riscv64": GnuToolchain(triple="riscv64-linux-gnu"),
    "windows-x86_64": GnuToolchain(triple="x86_64-w64-mingw32", suffix=".dll", linked=_WINDOWS),
}


def toolchain(arch: str) -> Toolchain:
    """Return the toolchain of an arch. ConfigError for an unknown one."""
    if arch not in _TOOLCHAINS:
        msg = f"no cross toolchain for {arch!r}"
        raise ConfigError(msg, fix=f"one of: {', '.join(_TOOLCHAINS)}")
    return _TOOLCHAINS[arch]


def _require_suffix(job: Job, suffix: str) -> None:
    if job.output.suffix != suffix:
        msg = f"{job.output.name}: a shared library for {job.arch} ends in {suffix}"
        raise ConfigError(msg, fix=f"give an output that ends in {suffix}, .a or .o")
