"""tvm.support.xcode with clang and lld: dylibs for macOS, iOS and the simulator, read back. Nothing here runs them.

xcrun and the SDKs are stand-ins (images/cross/apple.py); clang and the linker are real.
"""

from pathlib import Path

import pytest

from tests.matrix import apple
from tests.matrix.apple import SYSTEMS, System
from tests.matrix.conftest import declared_archs
from tests.matrix.evidence import compiled, inspected, linked
from tests.matrix.kernels import KERNELS, NAMES, SOURCES
from tests.matrix.publish import Publish
from tvm.error import CompileError
from tvm.support import cc, xcode


@pytest.fixture(params=[arch for arch in declared_archs() if arch in SYSTEMS])
def system(request: pytest.FixtureRequest) -> System:
    """Return one of the systems that the cell declares."""
    return SYSTEMS[request.param]


@pytest.mark.parametrize("name", NAMES)
def test_dylib_of_a_kernel_says_what_its_system_asks_for(
    system: System, name: str, tmp_path: Path, artefact: Publish
) -> None:
    library = tmp_path / f"lib{name}.dylib"
    source = KERNELS[name]().source
    xcode.create_dylib(library, [source], system.arch, system.sdk, system.minimum, ["-O3"])
    evidence = [
        linked("xcode.create_dylib", "clang and ld64.lld"),
        inspected("llvm-objdump", _inspect(library, system, {name})),
    ]
    artefact(f"{system.name}/{library.name}", library, target=system.target, arch=system.name, evidence=evidence)


def test_static_library_holds_the_kernels(system: System, tmp_path: Path, artefact: Publish) -> None:
    objects, library = [tmp_path / f"{name}.o" for name in NAMES], tmp_path / "libkernels.a"
    for made, source in zip(objects, SOURCES, strict=True):
        options = ["-O3", "-c", "-Wno-unused-command-line-argument"]
        xcode.create_dylib(made, [source], system.arch, system.sdk, system.minimum, options)
    cc.create_staticlib(library, objects, ar="llvm-ar")
    assert cc.get_global_symbol_section_map(library, nm="llvm-nm") == {f"_{name}": "T" for name in NAMES}
    whole = tmp_path / "libwhole.dylib"
    xcode.create_dylib(whole, [], system.arch, system.sdk, system.minimum, ["-Wl,-force_load," + str(library)])
    evidence = [
        compiled("xcode.create_dylib", f"clang -c: {len(objects)} objects"),
        linked("cc.create_staticlib", "llvm-ar; then whole into a dylib"),
        inspected("llvm-objdump", _inspect(whole, system, set(NAMES))),
    ]
    artefact(f"{system.name}/{library.name}", library, target=system.target, arch=system.name, evidence=evidence)


def test_the_lowest_version_is_the_sdk_s_or_ios_13_unless_it_is_said(system: System, tmp_path: Path) -> None:
    library = tmp_path / "libdefault.dylib"
    xcode.create_dylib(library, ["examples/kernels/matmul.c"], system.arch, system.sdk)
    # clang knows that no arm64 simulator is older than 14.
    expected = {"macosx": "15.0", "iphoneos": "13.0", "iphonesimulator": system.minimum}[system.sdk]
    assert apple.read(library).minimum == expected


def test_same_bytes_in_another_folder(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        output = tmp_path / name / "libsame.dylib"
        xcode.create_dylib(output, ["examples/kernels/softmax.c"], "arm64")
    assert (tmp_path / "one/libsame.dylib").read_bytes() == (tmp_path / "two/libsame.dylib").read_bytes()


def test_a_changed_byte_breaks_the_signature(tmp_path: Path) -> None:
    library, system = tmp_path / "libsigned.dylib", SYSTEMS["macos-arm64"]
    xcode.create_dylib(library, ["examples/kernels/softmax.c"], system.arch, system.sdk)
    data = bytearray(library.read_bytes())
    data[len(data) // 3] ^= 1
    library.write_bytes(data)
    with pytest.raises(AssertionError):
        apple.verify_signature(library, apple.read(library))


def test_compile_error_names_file_and_line_and_leaves_no_output(tmp_path: Path) -> None:
    source, library = tmp_path / "wrong.c", tmp_path / "libwrong.dylib"
    source.write_text("int right;\nint wrong(void) { return unknown_name; }\n", encoding="utf-8")
    with pytest.raises(CompileError, match=r"wrong\.c:2:\d+: error: .*unknown_name"):
        xcode.create_dylib(library, [source], "arm64", "iphoneos")
    assert [path.name for path in tmp_path.iterdir()] == ["wrong.c"]


def test_a_symbol_of_no_library_is_an_error(tmp_path: Path) -> None:
    source = tmp_path / "needs.c"
    source.write_text("void absent(void);\nvoid calls(void) { absent(); }\n", encoding="utf-8")
    with pytest.raises(CompileError, match="undefined symbol: absent"):
        xcode.create_dylib(tmp_path / "libneeds.dylib", [source], "arm64")


def test_a_mac_s_triple_is_that_of_its_clang() -> None:
    assert (xcode.create_dylib.get_target_triple() or "").startswith("x86_64-apple-darwin")


def test_metal_is_not_there_and_the_error_says_so(tmp_path: Path) -> None:
    """With xcrun's own exit code and words; the seed returns None."""
    with pytest.raises(CompileError, match='unable to find utility "metal"') as error:
        xcode.compile_metal("kernel void f() {}", tmp_path / "f.metallib")
    assert error.value.code == 72
    assert list(tmp_path.iterdir()) == []


def _inspect(library: Path, system: System, exports: set[str]) -> str:
    """Compare a dylib with what its system's loader asks of it, and return it as an evidence's detail."""
    facts = apple.read(library)
    assert (facts.cpu, facts.type) == (system.cpu, "DYLIB")
    assert (facts.platform, facts.minimum) == (system.platform, system.minimum)
    assert facts.install_name == f"@rpath/{library.name}"
    assert facts.needed == ("/usr/lib/libSystem.B.dylib",)
    assert facts.exports == {f"_{name}" for name in exports}
    assert (facts.signature is not None) == system.signed
    pages = f"{apple.verify_signature(library, facts)} pages signed" if system.signed else "unsigned"
    return f"{facts.cpu} {facts.type}, {facts.platform} {facts.minimum}, {facts.install_name}, {pages}"
