"""Lay out a stand-in for the Android NDK: standin.py FOLDER SYMBOLS.

It has the NDK's folders and program names, made of Debian's clang, lld and llvm. Its C libraries are lists of symbols to link
against. It has no libc headers, no libc++, and an empty compiler-rt and libunwind: code that needs these does not build.
"""

import shutil
import stat
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

REVISION = "0.1.0"
NOTICE = "Android NDK stand-in made of Debian's LLVM, not the vendor's NDK"
TOOLS = (
    "clang", "clang++", "ld.lld", "lld",
    "llvm-ar", "llvm-nm", "llvm-objcopy", "llvm-objdump", "llvm-ranlib", "llvm-readelf", "llvm-strip",
)  # fmt: skip
EMPTY_ARCHIVE = b"!<arch>\n"
# Android 15 devices may have pages of 16 KiB: 64-bit libraries must be aligned to that, in bytes.
PAGE = 16384

# What the NDK puts first into every library: who made it and for which API level, and the end of its life.
CRT_BEGIN = """\
struct ident { int name_size, size, type; char name[8]; int api; char revision[64]; char build[64]; };
__attribute__((section(".note.android.ident"), used, aligned(4)))
static const struct ident note = {8, 132, 1, "Android", %(api)d, "%(revision)s-stand-in", "0"};
extern void __cxa_finalize(void *);
__attribute__((visibility("hidden"))) void *__dso_handle = &__dso_handle;
__attribute__((destructor, used)) static void on_unload(void) { __cxa_finalize(&__dso_handle); }
"""

WRAPPER = """\
#!/bin/sh
# %(notice)s.
bin=$(dirname -- "$0")
exec "$bin/%(driver)s" --start-no-unused-arguments --target=%(triple)s%(api)d --sysroot="$bin/../sysroot" \\
    -resource-dir="$bin/../lib/clang/%(version)s" --ld-path="$bin/ld.lld" --rtlib=compiler-rt --unwindlib=none \\
    -nostdlib++%(page)s --end-no-unused-arguments "$@"
"""


@dataclass(frozen=True, kw_only=True)
class Abi:
    """One Android ABI: the compiler's triple, the folder of its libraries, the API level, the name of its builtins."""

    triple: str
    folder: str
    builtins: str
    api: int = 24
    wide: bool = True


ABIS = (
    Abi(triple="aarch64-linux-android", folder="aarch64-linux-android", builtins="aarch64"),
    Abi(triple="armv7a-linux-androideabi", folder="arm-linux-androideabi", builtins="arm", wide=False),
    Abi(triple="i686-linux-android", folder="i686-linux-android", builtins="i686", wide=False),
    Abi(triple="riscv64-linux-android", folder="riscv64-linux-android", builtins="riscv64", api=35),
    Abi(triple="x86_64-linux-android", folder="x86_64-linux-android", builtins="x86_64"),
)


def main(ndk: Path, symbols: Path) -> None:
    """Make the whole tree."""
    prebuilt = ndk / "toolchains" / "llvm" / "prebuilt" / "linux-x86_64"
    llvm = Path(shutil.which("clang") or "/usr/bin/clang").resolve().parent.parent
    version = llvm.name.removeprefix("llvm-")
    ndk.mkdir(parents=True)
    (ndk / "source.properties").write_text(f"Pkg.Desc = {NOTICE}\nPkg.Revision = {REVISION}\n", encoding="utf-8")
    link_tools(prebuilt / "bin", llvm / "bin")
    make_resources(prebuilt / "lib" / "clang" / version, llvm / "lib" / "clang" / version)
    exports = read_exports(symbols)
    for abi in ABIS:
        write_wrappers(prebuilt / "bin", abi, version)
        make_libraries(prebuilt, abi, exports)


def link_tools(folder: Path, tools: Path) -> None:
    """Put LLVM's own programs beside the wrappers."""
    folder.mkdir(parents=True)
    for tool in TOOLS:
        (folder / tool).symlink_to(tools / tool)


def make_resources(folder: Path, clang: Path) -> None:
    """Make clang's resource folder: its own headers, and empty run-time libraries."""
    runtime = folder / "lib" / "linux"
    runtime.mkdir(parents=True)
    (folder / "include").symlink_to(clang / "include")
    for abi in ABIS:
        (runtime / f"libclang_rt.builtins-{abi.builtins}-android.a").write_bytes(EMPTY_ARCHIVE)


def write_wrappers(folder: Path, abi: Abi, version: str) -> None:
    """Write TRIPLE+API-clang and -clang++."""
    for driver in ("clang", "clang++"):
        page = f" -Wl,-z,max-page-size={PAGE}" if abi.wide else ""
        values = {
            "notice": NOTICE,
            "driver": driver,
            "triple": abi.triple,
            "api": abi.api,
            "version": version,
            "page": page,
        }
        wrapper = folder / f"{abi.triple}{abi.api}-{driver}"
        wrapper.write_text(WRAPPER % values, encoding="utf-8")
        wrapper.chmod(wrapper.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)


def read_exports(path: Path) -> dict[str, tuple[str, list[str]]]:
    """Read symbols.txt: library -> (symbol version, names)."""
    exports: dict[str, tuple[str, list[str]]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            head, names = line.split(":")
            library, version, *_ = head.split()
            exports.setdefault(library, (version, []))[1].extend(names.split())
    return exports


def make_libraries(prebuilt: Path, abi: Abi, exports: dict[str, tuple[str, list[str]]]) -> None:
    """Make start files and libraries of one ABI in its sysroot."""
    folder = prebuilt / "sysroot" / "usr" / "lib" / abi.folder / str(abi.api)
    folder.mkdir(parents=True)
    compiler = prebuilt / "bin" / f"{abi.triple}{abi.api}-clang"
    (folder / "libunwind.a").write_bytes(EMPTY_ARCHIVE)
    with tempfile.TemporaryDirectory() as work:
        begin = write(Path(work, "crtbegin.c"), CRT_BEGIN % {"api": abi.api, "revision": REVISION})
        end = write(Path(work, "crtend.c"), "")
        compile_with(compiler, ["-O2", "-fPIC", "-c", str(begin), "-o", str(folder / "crtbegin_so.o")])
        compile_with(compiler, ["-O2", "-fPIC", "-c", str(end), "-o", str(folder / "crtend_so.o")])
        for library, (version, names) in sorted(exports.items()):
            make_stub(compiler, folder / library, version, names)


def make_stub(compiler: Path, output: Path, version: str, names: list[str]) -> None:
    """Link a library that exports names under a version, and does nothing."""
    with tempfile.TemporaryDirectory() as work:
        lines = "".join(f".globl {name}\n.type {name},%function\n{name}:\n" for name in names)
        stub = write(Path(work, "stub.s"), f".text\n{lines}.long 0\n")
        script = write(Path(work, "versions.map"), f"{version} {{ global: *; }};\n")
        linked = ["-shared", "-nostdlib", f"-Wl,-soname,{output.name}", f"-Wl,--version-script={script}"]
        compile_with(compiler, [str(stub), *linked, "-o", str(output)])


def compile_with(compiler: Path, arguments: list[str]) -> None:
    """Run one of the wrappers; any warning fails the image."""
    subprocess.run([compiler, "-Wall", "-Werror", *arguments], check=True)


def write(path: Path, text: str) -> Path:
    """Write a text and return its path."""
    path.write_text(text, encoding="utf-8")
    return path


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
