"""Linux machines other than this one: Debian's GCC for each, what its files must say, and the emulator that runs them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.matrix import calls
from tests.matrix.kernels import Array, Kernel
from tvm.support import cc

# images/ndk has it for Android's libraries; here the same program is built by the compiler that is checked.
LOADER = "images/ndk/tvm-run.c"


@dataclass(frozen=True, kw_only=True)
class Machine:
    """One machine. `triple` begins the names of its tools, `machine` is its ELF machine."""

    name: str
    triple: str
    machine: str
    bits: int
    emulator: str

    @property
    def cc(self) -> str:
        """The compiler of C."""
        return f"{self.triple}-gcc"

    @property
    def cxx(self) -> str:
        """The compiler of C++."""
        return f"{self.triple}-g++"

    @property
    def command(self) -> list[str]:
        """The words that run a program of the machine."""
        return [self.emulator, "-L", f"/usr/{self.triple}"]

    def run(self, runner: Path, library: Path, kernel: Kernel, folder: Path) -> Array:
        """Load a library under the emulator by a program that `build_loader` made, and call a kernel of it."""
        return calls.run([*self.command, runner], library, kernel, folder)


MACHINES: Mapping[str, Machine] = {
    machine.name: machine
    for machine in (
        Machine(
            name="aarch64",
            triple="aarch64-linux-gnu",
            machine="EM_AARCH64",
            bits=64,
            emulator="qemu-aarch64",
        ),
        Machine(
            name="armhf",
            triple="arm-linux-gnueabihf",
            machine="EM_ARM",
            bits=32,
            emulator="qemu-arm",
        ),
        Machine(
            name="riscv64",
            triple="riscv64-linux-gnu",
            machine="EM_RISCV",
            bits=64,
            emulator="qemu-riscv64",
        ),
    )
}


def build_loader(machine: Machine, output: Path) -> Path:
    """Build the program that loads a library and calls a function of it."""
    cc.create_executable(output, [LOADER], options=["-O2", "-Wall", "-Werror"], cc=machine.cc, timeout=calls.LIMIT)
    return output
