"""Android's ABIs: the NDK's compiler for each, what its files must say, and the emulator that runs them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.matrix import calls
from tests.matrix.kernels import Array, Kernel

BIN = Path("/opt/android-ndk/toolchains/llvm/prebuilt/linux-x86_64/bin")
# Made by images/ndk/emulation.py.
LOADERS = Path("/usr/lib/tvm-matrix/ndk")
LIMIT = calls.LIMIT
API = 24


@dataclass(frozen=True, kw_only=True)
class Abi:
    """One ABI. `machine` is its ELF machine, `loader` the folder of its loader, `libc` the C library that the loader uses."""

    name: str
    compiler: str
    triple: str
    machine: str
    bits: int
    emulator: str
    loader: str
    libc: str

    @property
    def cc(self) -> str:
        """The NDK's compiler for this ABI."""
        return str(BIN / self.compiler)

    @property
    def page(self) -> int:
        """The largest page of a device, in bytes: with Android 15 that is 16 KiB where addresses are 64-bit."""
        return 16384 if self.bits == 64 else 4096

    @property
    def page_option(self) -> str:
        """What a library is linked with to be loaded on pages of that size."""
        return f"-Wl,-z,max-page-size={self.page}"


ABIS = {
    abi.name: abi
    for abi in (
        Abi(
            name="arm64-v8a",
            compiler="aarch64-linux-android24-clang",
            triple="aarch64-unknown-linux-android24",
            machine="EM_AARCH64",
            bits=64,
            emulator="qemu-aarch64",
            loader="aarch64",
            libc="/usr/aarch64-linux-gnu",
        ),
        Abi(
            name="armeabi-v7a",
            compiler="armv7a-linux-androideabi24-clang",
            triple="armv7a-unknown-linux-android24",
            machine="EM_ARM",
            bits=32,
            emulator="qemu-arm",
            loader="armv7a",
            libc="/usr/arm-linux-gnueabi",
        ),
        Abi(
            name="x86_64",
            compiler="x86_64-linux-android24-clang",
            triple="x86_64-unknown-linux-android24",
            machine="EM_X86_64",
            bits=64,
            emulator="qemu-x86_64",
            loader="x86_64",
            libc="/",
        ),
    )
}


def triple(get_target_triple: Callable[[], str | None]) -> str:
    """Return what a function says is its target. Some clangs write androideabi for 32-bit ARM, some android."""
    return (get_target_triple() or "").strip().replace("androideabi", "android")


def run(abi: Abi, library: Path, kernel: Kernel, folder: Path) -> Array:
    """Load a library under the ABI's emulator, call a kernel of it, and return what it computed. Files go to `folder`."""
    loader = LOADERS / abi.loader
    emulator = [abi.emulator, "-L", abi.libc, "-E", f"LD_LIBRARY_PATH={loader / 'lib'}"]
    return calls.run([*emulator, loader / "tvm-run"], library, kernel, folder)
