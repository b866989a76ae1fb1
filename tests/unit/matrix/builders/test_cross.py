from pathlib import Path

import pytest

from tests.unit.stand_in import MakeStandIn
from tvm.error import ConfigError
from tvm.matrix import loader
from tvm.matrix.builders import cross
from tvm.matrix.builders.job import Job, build


def job(arch: str, output: Path, *sources: str, options: tuple[str, ...] = ()) -> Job:
    return Job(arch=arch, output=output, sources=tuple(map(Path, sources)), options=options)


def test_every_arch_of_the_cell_has_a_toolchain() -> None:
    archs = loader.load(Path(__file__).parents[4]).matrix.cells["cross"].archs
    assert set(cross._TOOLCHAINS) == set(archs)


@pytest.mark.parametrize(
    ("arch", "compiler", "name", "last"),
    [
        ("aarch64", "aarch64-linux-gnu-gcc", "libx.so", "-lm"),
        ("armhf", "arm-linux-gnueabihf-gcc", "libx.so", "-lm"),
        ("riscv64", "riscv64-linux-gnu-gcc", "libx.so", "-lm"),
        ("windows-x86_64", "x86_64-w64-mingw32-gcc", "x.dll", "-static-libstdc++"),
    ],
)
def test_each_machine_has_its_gcc(
    arch: str, compiler: str, name: str, last: str, stand_in: MakeStandIn, tmp_path: Path
) -> None:
    gcc = stand_in(compiler)
    build(job(arch, tmp_path / name, "a.c", options=("-O3",)), cross.toolchain(arch))
    compiled, linked = gcc.calls
    assert {"-c", "a.c", "-O3"} <= set(compiled)
    assert {"-shared", last} <= set(linked)


def test_windows_libraries_hold_neither_the_time_nor_an_address_of_their_path(
    stand_in: MakeStandIn, tmp_path: Path
) -> None:
    gcc = stand_in("x86_64-w64-mingw32-gcc")
    build(job("windows-x86_64", tmp_path / "x.exe", "a.c"), cross.toolchain("windows-x86_64"))
    assert {"-Wl,--no-insert-timestamp", "-Wl,--disable-auto-image-base"} <= set(gcc.calls[1])
    assert "-shared" not in gcc.calls[1]


def test_what_holds_cxx_is_linked_by_gxx(stand_in: MakeStandIn, tmp_path: Path) -> None:
    gcc, gxx = stand_in("riscv64-linux-gnu-gcc"), stand_in("riscv64-linux-gnu-g++")
    build(job("riscv64", tmp_path / "libx.so", "a.c", "b.cc"), cross.toolchain("riscv64"))
    assert (len(gcc.calls), len(gxx.calls)) == (1, 2)


def test_static_library_is_packed_by_the_machine_s_ar(stand_in: MakeStandIn, tmp_path: Path) -> None:
    stand_in("aarch64-linux-gnu-gcc")
    ar = stand_in("aarch64-linux-gnu-ar")
    build(job("aarch64", tmp_path / "libx.a", "a.c"), cross.toolchain("aarch64"))
    assert len(ar.calls) == 1


@pytest.mark.parametrize(
    ("arch", "sdk", "words"),
    [
        ("macos-arm64", "macosx", {"arm64", "-mmacosx-version-min=11.0"}),
        ("macos-x86_64", "macosx", {"x86_64", "-mmacosx-version-min=10.15"}),
        ("ios-arm64", "iphoneos", {"arm64", "-mios-version-min=13.0"}),
        ("ios-simulator-arm64", "iphonesimulator", {"arm64", "-mios-simulator-version-min=14.0"}),
        ("ios-simulator-x86_64", "iphonesimulator", {"x86_64", "-mios-simulator-version-min=13.0"}),
    ],
)
def test_apple_s_systems_go_through_xcrun(
    arch: str, sdk: str, words: set[str], stand_in: MakeStandIn, tmp_path: Path
) -> None:
    clang = stand_in("clang")
    xcrun = stand_in("xcrun", body=f"print('/sdk' if '-show-sdk-path' in args else {clang.path!r})")
    build(job(arch, tmp_path / "libx.dylib", "a.c", options=("-O3",)), cross.toolchain(arch))
    compiled, linked = clang.calls
    assert {"-c", "a.c", "-O3", *words} <= set(compiled)
    assert {"-dynamiclib", "-install_name", "@rpath/libx.dylib", *words} <= set(linked)
    assert {call[1] for call in xcrun.calls} == {sdk}


def test_static_library_for_apple_is_packed_by_llvm(stand_in: MakeStandIn, tmp_path: Path) -> None:
    clang, ar = stand_in("clang"), stand_in("llvm-ar")
    stand_in("xcrun", body=f"print({clang.path!r})")
    build(job("macos-arm64", tmp_path / "libx.a", "a.c"), cross.toolchain("macos-arm64"))
    assert len(ar.calls) == 1


@pytest.mark.parametrize(
    ("arch", "name", "suffix"),
    [("aarch64", "x.dll", ".so"), ("windows-x86_64", "x.so", ".dll"), ("macos-arm64", "x.so", ".dylib")],
)
def test_a_shared_library_of_another_system_is_refused(
    arch: str, name: str, suffix: str, stand_in: MakeStandIn, tmp_path: Path
) -> None:
    clang = stand_in("clang")
    stand_in("xcrun", body=f"print({clang.path!r})")
    for compiler in ("aarch64-linux-gnu-gcc", "x86_64-w64-mingw32-gcc"):
        stand_in(compiler)
    with pytest.raises(ConfigError, match=f"for {arch} ends in {suffix}"):
        build(job(arch, tmp_path / name, "a.c"), cross.toolchain(arch))
    assert not (tmp_path / name).exists()


def test_program_for_apple_is_refused(stand_in: MakeStandIn, tmp_path: Path) -> None:
    clang = stand_in("clang")
    stand_in("xcrun", body=f"print({clang.path!r})")
    with pytest.raises(ConfigError, match="makes no program"):
        build(job("ios-arm64", tmp_path / "x", "a.c"), cross.toolchain("ios-arm64"))


def test_unknown_arch_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"(?s)'mips'.*aarch64, armhf"):
        cross.toolchain("mips")
