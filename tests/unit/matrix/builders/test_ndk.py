from pathlib import Path

import pytest

from tests.unit.stand_in import MakeStandIn
from tvm.error import ConfigError, ToolNotFound
from tvm.matrix.builders import ndk
from tvm.matrix.builders.job import Job, build


@pytest.fixture(autouse=True)
def _ndk(bin_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_NDK_CC", str(bin_folder / "aarch64-linux-android24-clang"))


def job(arch: str, output: Path, *sources: str, options: tuple[str, ...] = ()) -> Job:
    return Job(arch=arch, output=output, sources=tuple(map(Path, sources)), options=options)


@pytest.mark.parametrize(
    ("arch", "compiler", "page"),
    [
        ("arm64-v8a", "aarch64-linux-android24-clang", 16384),
        ("armeabi-v7a", "armv7a-linux-androideabi24-clang", 4096),
        ("riscv64", "riscv64-linux-android35-clang", 16384),
        ("x86", "i686-linux-android24-clang", 4096),
        ("x86_64", "x86_64-linux-android24-clang", 16384),
    ],
)
def test_each_abi_has_its_compiler(arch: str, compiler: str, page: int, stand_in: MakeStandIn, tmp_path: Path) -> None:
    clang = stand_in(compiler)
    build(job(arch, tmp_path / "libx.so", "a.c", options=("-O3",)), ndk.toolchain(arch))
    compiled, linked = clang.calls
    assert {"-c", "a.c", "-O3"} <= set(compiled)
    assert {"-shared", "-Wl,-soname,libx.so", f"-Wl,-z,max-page-size={page}", "-lm"} <= set(linked)


def test_cxx_is_compiled_and_linked_by_the_cxx_driver(stand_in: MakeStandIn, tmp_path: Path) -> None:
    clang = stand_in("aarch64-linux-android24-clang")
    clangxx = stand_in("aarch64-linux-android24-clang++")
    build(job("arm64-v8a", tmp_path / "libx.so", "a.c", "b.cc"), ndk.toolchain("arm64-v8a"))
    assert ["a.c" in call for call in clang.calls] == [True]
    assert ["b.cc" in call for call in clangxx.calls] == [True, False]


def test_static_library_is_packed_by_the_tools_beside(stand_in: MakeStandIn, tmp_path: Path) -> None:
    stand_in("aarch64-linux-android24-clang")
    ar, ranlib = stand_in("llvm-ar", body="open(args[1], 'w').close()"), stand_in("llvm-ranlib")
    build(job("arm64-v8a", tmp_path / "libx.a", "a.c"), ndk.toolchain("arm64-v8a"))
    assert (len(ar.calls), len(ranlib.calls)) == (1, 1)


def test_program_is_refused(stand_in: MakeStandIn, tmp_path: Path) -> None:
    stand_in("aarch64-linux-android24-clang")
    with pytest.raises(ConfigError, match="make no programs"):
        build(job("arm64-v8a", tmp_path / "x", "a.c"), ndk.toolchain("arm64-v8a"))


def test_unknown_abi_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"(?s)'mips'.*arm64-v8a, armeabi-v7a"):
        ndk.toolchain("mips")


def test_without_an_ndk_the_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TVM_NDK_CC")
    with pytest.raises(ToolNotFound, match="TVM_NDK_CC is not set"):
        ndk.toolchain("arm64-v8a")
