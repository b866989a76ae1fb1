"""Make what runs Android libraries under qemu-user: emulation.py FOLDER.

For each machine FOLDER/ARCH/tvm-run, a program of the GNU C library that loads a library and calls a function, and
FOLDER/ARCH/lib, libraries with Android's names whose symbols carry Android's versions and jump to the GNU C library's.
FOLDER/symbols.txt lists the symbols.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Debian's compiler, by its path: the NDK's own may stand first on PATH.
CLANG = "/usr/bin/clang"


@dataclass(frozen=True, kw_only=True)
class Machine:
    """An emulated machine: its GNU target, and the instruction that jumps to a symbol."""

    target: str
    jump: str


MACHINES = {
    "aarch64": Machine(target="aarch64-linux-gnu", jump="b {}"),
    "armv7a": Machine(target="arm-linux-gnueabi", jump="b {}"),
    "x86_64": Machine(target="x86_64-linux-gnu", jump="jmp {}@PLT"),
}


@dataclass(frozen=True, kw_only=True)
class Symbols:
    """One line of symbols.txt."""

    library: str
    version: str
    bionic: bool
    names: tuple[str, ...]


def main(folder: Path) -> None:
    """Build program and libraries for every machine."""
    symbols = list(read_symbols(folder / "symbols.txt"))
    for arch, machine in MACHINES.items():
        target = folder / arch
        (target / "lib").mkdir(parents=True)
        compile_with(machine, [str(HERE / "tvm-run.c"), "-o", str(target / "tvm-run")])
        for library in sorted({line.library for line in symbols}):
            build_library(machine, target / "lib" / library, [line for line in symbols if line.library == library])


def read_symbols(path: Path) -> Iterator[Symbols]:
    """Read symbols.txt."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            head, names = line.split(":")
            library, version, *bionic = head.split()
            yield Symbols(library=library, version=version, bionic=bool(bionic), names=tuple(names.split()))


def build_library(machine: Machine, output: Path, symbols: list[Symbols]) -> None:
    """Link one library; a symbol that the GNU C library does not have is an error here, not in a box."""
    version = symbols[0].version
    with tempfile.TemporaryDirectory() as work:
        assembly = Path(work, "jumps.s")
        script = Path(work, "versions.map")
        assembly.write_text("".join(source(machine, line) for line in symbols), encoding="utf-8")
        script.write_text(f"{version} {{ local: tvm_*; }};\n", encoding="utf-8")
        sources = [str(assembly)]
        if any(line.bionic for line in symbols):
            sources.append(str(HERE / "tvm-bionic.c"))
        linked = [
            "-shared",
            "-fPIC",
            f"-Wl,-soname,{output.name}",
            f"-Wl,--version-script={script}",
            "-Wl,-z,defs",
            "-lm",
        ]
        compile_with(machine, [*sources, *linked, "-o", str(output)])


def source(machine: Machine, symbols: Symbols) -> str:
    """Return assembly that gives each name under its Android version.

    The version is not the default one (one @): a plain reference inside the library still means the GNU C library's.
    """
    text = '.section .note.GNU-stack,"",%progbits\n.text\n'
    for name in symbols.names:
        if not symbols.bionic:
            text += f".globl tvm_{name}\n.type tvm_{name},%function\ntvm_{name}: {machine.jump.format(name)}\n"
        text += f".symver tvm_{name}, {name}@{symbols.version}\n"
    return text


def compile_with(machine: Machine, arguments: list[str]) -> None:
    """Run Debian's clang and lld for a machine; any warning fails the image."""
    subprocess.run(
        [CLANG, f"--target={machine.target}", "-fuse-ld=lld", "-O2", "-Wall", "-Werror", *arguments], check=True
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
