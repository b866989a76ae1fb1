"""Windows on x86-64: MinGW-w64's GCC makes its files, llvm-readobj reads them, wine runs them without a window."""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.matrix import calls
from tests.matrix.kernels import Array, Kernel
from tests.matrix.machines import LOADER
from tvm.support import cc, process

ARCHS = ("windows-x86_64",)
TRIPLE = "x86_64-w64-mingw32"
CC, CXX = f"{TRIPLE}-gcc", f"{TRIPLE}-g++"
# GNU ld writes the time of the link otherwise, and takes a library's address from a hash of the output's path.
SAME_BYTES = ("-Wl,--no-insert-timestamp", "-Wl,--disable-auto-image-base")


@dataclass(frozen=True, kw_only=True)
class PeFacts:
    """One file: its machine, whether it is a library, the time it names, what it exports, the libraries that it needs."""

    machine: str
    library: bool
    timestamp: int
    exports: frozenset[str]
    needed: frozenset[str]


def read(path: Path) -> PeFacts:
    """Read a PE file."""
    argv = ["llvm-readobj", "--file-headers", "--coff-exports", "--coff-imports", str(path)]
    said = process.run(argv, timeout=calls.LIMIT).output
    return PeFacts(
        machine=_one(r"Machine: (\w+)", said),
        library="IMAGE_FILE_DLL" in said,
        timestamp=int(_one(r"TimeDateStamp: .*?\(?(0x[0-9A-Fa-f]+)\)?$", said), 16),
        exports=frozenset(re.findall(r"^Export \{[^}]*?^  Name: (\S+)", said, re.MULTILINE)),
        needed=frozenset(re.findall(r"^Import \{\n  Name: (\S+)", said, re.MULTILINE)),
    )


@dataclass(frozen=True, kw_only=True)
class Wine:
    """wine with a prefix of its own, and the program that loads a library there."""

    environment: Mapping[str, str]
    loader: Path

    def run(self, library: Path, kernel: Kernel, folder: Path) -> Array:
        """Load a library and call a kernel of it."""
        return calls.run(["wine64", self.loader], library, kernel, folder, spell=_spelled, env=self.environment)


@contextmanager
def wine(folder: Path) -> Iterator[Wine]:
    """Make a prefix in a folder, and end what serves it when the block ends."""
    # Without a window system, sound, .NET and HTML; nobody reads its menus.
    off = "mscoree,mshtml,winex11.drv,winewayland.drv=;winemenubuilder.exe=d"
    given = {"WINEPREFIX": str(folder / "prefix"), "WINEDEBUG": "-all", "WINEDLLOVERRIDES": off}
    # Debian's wine 10.0 aborts (double free) where TMPDIR is set.
    environment = {name: value for name, value in os.environ.items() if name != "TMPDIR"} | given
    loader = folder / "tvm-run.exe"
    # The program is written for dlfcn.h; the folder has one that calls Windows.
    options = ["-O2", "-Wall", "-Werror", "-I", "tests/matrix/windows_headers"]
    cc.create_executable(loader, [LOADER], options=options, cc=CC, timeout=calls.LIMIT)
    try:
        # The first program that starts makes the prefix.
        started = process.run(["wine64", loader], env=environment, timeout=calls.LIMIT, check=False)
        assert "tvm-run: usage" in started.output, started.output
        yield Wine(environment=environment, loader=loader)
    finally:
        process.run(["wineserver", "--kill"], env=environment, timeout=calls.LIMIT, check=False)


def _spelled(path: Path) -> str:
    # wine shows the whole file system as this drive.
    return f"Z:{path.absolute().as_posix()}"


def _one(pattern: str, text: str) -> str:
    (hit,) = set(re.findall(pattern, text, re.MULTILINE))
    return str(hit)
