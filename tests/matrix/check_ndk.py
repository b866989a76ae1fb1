"""tvm.support.ndk and cc.cross_compiler with the Android NDK, for every ABI; what they make runs under qemu."""

import shutil
from pathlib import Path

import pytest

from tests.matrix import android, elf, kernels
from tests.matrix.android import ABIS, Abi
from tests.matrix.evidence import compiled, executed, inspected, linked
from tests.matrix.kernels import KERNELS, NAMES, SOURCES
from tests.matrix.publish import Publish
from tvm.error import CompileError, ToolNotFound
from tvm.support import cc, ndk, process, tar


@pytest.fixture
def abi(arch: str, monkeypatch: pytest.MonkeyPatch) -> Abi:
    """Return what is known of the arch, and name its compiler in TVM_NDK_CC."""
    known = ABIS[arch]
    monkeypatch.setenv("TVM_NDK_CC", known.cc)
    return known


@pytest.fixture
def objects(abi: Abi, tmp_path: Path) -> list[Path]:
    """Return the kernels as objects of the ABI."""
    made = [tmp_path / f"{name}.o" for name in NAMES]
    for output, source in zip(made, SOURCES, strict=True):
        ndk.create_shared(output, [source], options=["-O3", "-c"])
        facts = elf.read(output)
        assert (facts.type, facts.machine, facts.bits) == ("ET_REL", abi.machine, abi.bits)
    return made


@pytest.mark.parametrize("name", NAMES)
def test_shared_library_of_a_kernel_runs(abi: Abi, name: str, tmp_path: Path, artefact: Publish) -> None:
    kernel, library = KERNELS[name](), tmp_path / f"lib{name}.so"
    ndk.create_shared(library, [kernel.source], options=["-O3", f"-Wl,-soname,{library.name}", abi.page_option])
    seen = _inspect(library, abi, {name}, soname=library.name, page=abi.page)
    numbers = kernels.verdict(kernel, android.run(abi, library, kernel, tmp_path))
    artefact(
        f"{abi.name}/{library.name}",
        library,
        target=abi.triple,
        arch=abi.name,
        evidence=[
            linked("ndk.create_shared", f"{abi.compiler} and lld"),
            inspected("pyelftools", seen),
            executed(abi.emulator, numbers),
        ],
    )


def test_static_library_holds_the_kernels_and_runs(
    abi: Abi, objects: list[Path], tmp_path: Path, artefact: Publish
) -> None:
    library, whole = tmp_path / "libkernels.a", tmp_path / "libwhole.so"
    ndk.create_staticlib(library, objects)
    assert ndk.get_global_symbol_section_map(library) == dict.fromkeys(NAMES, "T")
    ndk.create_shared(whole, [], options=["-Wl,--whole-archive", str(library), "-Wl,--no-whole-archive"])
    _inspect(whole, abi, set(NAMES))
    numbers = [kernels.verdict(kernel, android.run(abi, whole, kernel, tmp_path)) for kernel in _all()]
    artefact(
        f"{abi.name}/{library.name}",
        library,
        target=abi.triple,
        arch=abi.name,
        evidence=[
            compiled("ndk.create_shared", f"{abi.compiler} -c: {len(objects)} objects for {abi.machine}"),
            linked("ndk.create_staticlib", "llvm-ar and llvm-ranlib; then lld, whole, into a shared library"),
            inspected("llvm-nm", f"defines {', '.join(NAMES)}"),
            *(executed(abi.emulator, line) for line in numbers),
        ],
    )


def test_static_library_replaces_an_earlier_one(abi: Abi, objects: list[Path], tmp_path: Path) -> None:
    library = tmp_path / f"lib{abi.loader}.a"
    ndk.create_staticlib(library, objects)
    ndk.create_staticlib(library, objects[:1])
    assert ndk.get_global_symbol_section_map(library) == {NAMES[0]: "T"}


def test_static_library_takes_the_members_of_tars(abi: Abi, objects: list[Path], tmp_path: Path) -> None:
    """Two archives may hold members of one base name; both stay."""
    assert abi.name
    packed = []
    for number, member in enumerate(objects[:2]):
        folder = tmp_path / f"part{number}"
        folder.mkdir()
        same = shutil.copy(member, folder / "kernel.o")
        packed.append(tmp_path / f"part{number}.tar")
        tar.tar(packed[-1], [same])
    ndk.create_staticlib(tmp_path / "libboth.a", [*packed, objects[2]])
    assert set(ndk.get_global_symbol_section_map(tmp_path / "libboth.a")) == set(NAMES)


def test_triple_is_asked_at_call_time(abi: Abi) -> None:
    for function in (ndk.create_shared, ndk.create_staticlib):
        assert android.triple(function.get_target_triple) == abi.triple


def test_triple_is_unknown_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TVM_NDK_CC")
    assert ndk.create_shared.get_target_triple() is None


def test_output_formats() -> None:
    assert (ndk.create_shared.output_format, ndk.create_staticlib.output_format) == ("so", "a")


def test_symbols_are_mapped_stripped_or_not(abi: Abi, tmp_path: Path) -> None:
    library = tmp_path / "libmatmul.so"
    ndk.create_shared(library, ["examples/kernels/matmul.c"])
    nm = android.BIN / "llvm-nm"
    assert ndk.get_global_symbol_section_map(library) == {"matmul": "T"}
    assert ndk.get_global_symbol_section_map(library, nm=nm) == {"matmul": "T"}
    process.run([android.BIN / "llvm-strip", library], timeout=android.LIMIT)
    assert elf.read(library).machine == abi.machine
    assert ndk.get_global_symbol_section_map(library) == {"matmul": "T"}


def test_compile_error_names_file_and_line_and_leaves_no_output(abi: Abi, tmp_path: Path) -> None:
    source, library = tmp_path / "wrong.c", tmp_path / "libwrong.so"
    source.write_text("int right;\nint wrong(void) { return unknown_name; }\n", encoding="utf-8")
    with pytest.raises(CompileError, match=r"wrong\.c:2:\d+: error: .*unknown_name") as error:
        ndk.create_shared(library, [source])
    assert error.value.code == 1
    assert error.value.command[0] == abi.cc
    assert [path.name for path in tmp_path.iterdir()] == ["wrong.c"]


def test_static_library_error_shows_what_the_archiver_says(abi: Abi, tmp_path: Path) -> None:
    assert abi.name
    with pytest.raises(CompileError, match=r"AR error:\n.*absent\.o"):
        ndk.create_staticlib(tmp_path / "libabsent.a", [tmp_path / "absent.o"])
    assert list(tmp_path.iterdir()) == []


def test_options_are_added_to_the_defaults(abi: Abi, tmp_path: Path) -> None:
    library = tmp_path / "libnamed.so"
    options = ["-Wl,-soname,libother.so", "-DUNUSED=1"]
    ndk.create_shared(library, ["examples/kernels/softmax.c"], options=options)
    assert options == ["-Wl,-soname,libother.so", "-DUNUSED=1"]
    _inspect(library, abi, {"softmax"}, soname="libother.so")
    assert "libm.so" in elf.read(library).needed


def test_cross_compiler_adds_options_and_files(
    abi: Abi, objects: list[Path], tmp_path: Path, artefact: Publish
) -> None:
    """An object of the caller's, an object that is always added, options of both: all reach the library."""
    base, library = ["-O3", abi.page_option], tmp_path / "libcross.so"
    fcompile = cc.cross_compiler(ndk.create_shared, options=base, add_files=[str(objects[0])])
    given = [str(objects[1]), "examples/kernels/matmul.c"]
    for _ in range(2):
        fcompile(str(library), given, options=["-Wl,-soname,libcross.so"])
    assert (base, len(given)) == (["-O3", abi.page_option], 2)
    assert fcompile.output_format == "so"
    assert android.triple(fcompile.get_target_triple) == abi.triple
    seen = _inspect(library, abi, set(NAMES), soname="libcross.so", page=abi.page)
    artefact(
        f"{abi.name}/{library.name}",
        library,
        target=abi.triple,
        arch=abi.name,
        evidence=[
            linked("cc.cross_compiler", "ndk.create_shared with options and files of its own"),
            inspected("pyelftools", seen),
            *(executed(abi.emulator, kernels.verdict(k, android.run(abi, library, k, tmp_path))) for k in _all()),
        ],
    )


def test_cross_compiler_by_the_path_of_a_compiler(abi: Abi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It reports the triple of its own compiler, not the host's, and needs no TVM_NDK_CC."""
    monkeypatch.delenv("TVM_NDK_CC")
    fcompile, kernel = cc.cross_compiler(abi.cc, options=["-lm"], output_format="so"), kernels.softmax()
    assert android.triple(fcompile.get_target_triple) == abi.triple
    source = (Path.cwd() / kernel.source).as_posix()
    fcompile("libbypath.so", [source], options=["-O2"], cwd=tmp_path)
    kernels.worst(kernel, android.run(abi, tmp_path / "libbypath.so", kernel, tmp_path))


def test_cross_compiler_of_the_static_packer(abi: Abi, objects: list[Path], tmp_path: Path) -> None:
    """A compile function may ignore options; its output format is carried over."""

    def pack(output: str, inputs: list[str], options: list[str]) -> None:
        assert options == ["-O2"]
        ndk.create_staticlib(output, inputs)

    triple = ndk.create_staticlib.get_target_triple
    fcompile = cc.cross_compiler(pack, output_format="a", get_target_triple=triple, add_files=[str(objects[0])])
    fcompile(str(tmp_path / "libcross.a"), [str(objects[1])], options=["-O2"])
    assert (fcompile.output_format, android.triple(fcompile.get_target_triple)) == ("a", abi.triple)
    assert set(ndk.get_global_symbol_section_map(tmp_path / "libcross.a")) == set(NAMES[:2])


def test_export_function_builds_a_module_with_the_ndk(abi: Abi) -> None:
    """What meta-schedule's builder calls; here with a module whose export compiles one kernel."""

    class Module:
        def export_library(self, file_name: str, *, fcompile: object) -> None:
            assert callable(fcompile)
            fcompile(file_name, ["examples/kernels/layer_norm.c"], options=["-O2"])

    library, kernel = Path(ndk._ndk_export(Module())), kernels.layer_norm()
    try:
        _inspect(library, abi, {"layer_norm"})
        kernels.worst(kernel, android.run(abi, library, kernel, library.parent))
    finally:
        shutil.rmtree(library.parent)


@pytest.mark.parametrize("value", [None, ""])
def test_without_a_compiler_every_function_names_the_variable(
    value: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TVM_NDK_CC") if value is None else monkeypatch.setenv("TVM_NDK_CC", value)
    (tmp_path / "a.o").write_bytes(b"")
    with pytest.raises(RuntimeError, match="TVM_NDK_CC"):
        ndk.create_shared(tmp_path / "a.so", [tmp_path / "a.o"])
    with pytest.raises(RuntimeError, match="TVM_NDK_CC"):
        ndk.create_staticlib(tmp_path / "a.a", [tmp_path / "a.o"])
    with pytest.raises(RuntimeError, match="TVM_NDK_CC"):
        ndk.get_global_symbol_section_map(tmp_path / "a.o")
    assert [path.name for path in tmp_path.iterdir()] == ["a.o"]


def test_a_compiler_that_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_NDK_CC", str(tmp_path / "no-clang"))
    with pytest.raises(ToolNotFound, match="no-clang"):
        ndk.create_shared(tmp_path / "a.so", ["examples/kernels/matmul.c"])


def test_llvm_tools_must_stand_beside_the_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lonely = tmp_path / "aarch64-linux-android24-clang"
    shutil.copy(android.BIN / lonely.name, lonely)
    monkeypatch.setenv("TVM_NDK_CC", str(lonely))
    with pytest.raises(ToolNotFound, match="llvm-ar is not beside"):
        ndk.create_staticlib(tmp_path / "a.a", [tmp_path / "a.o"])


def _all() -> list[kernels.Kernel]:
    return [make() for make in KERNELS.values()]


def _inspect(library: Path, abi: Abi, exports: set[str], *, soname: str = "", page: int = 0) -> str:
    """Compare a shared library with what Android's loader asks of it, and return it as an evidence's detail."""
    facts = elf.read(library)
    assert (facts.type, facts.machine, facts.bits) == ("ET_DYN", abi.machine, abi.bits)
    assert (facts.soname, facts.exports, facts.android_api) == (soname, frozenset(exports), android.API)
    assert set(facts.needed) <= {"libc.so", "libm.so", "libdl.so"}
    assert facts.alignment >= page
    return f"{facts.machine}, SONAME {facts.soname}, NEEDED {' '.join(facts.needed)}, API {facts.android_api}, aligned to {facts.alignment}"
