"""tvm.support.cc with the compilers, archivers and symbol readers of Debian; what they make runs here."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.matrix import elf, kernels, native
from tests.matrix.evidence import compiled, executed, inspected, linked
from tests.matrix.kernels import KERNELS, NAMES, SOURCES
from tests.matrix.publish import Publish
from tvm.error import CompileError, ToolNotFound
from tvm.support import cc, process, tar

# Each arch of the cell with its ELF machine and its triple.
MACHINES = {"x86_64": ("EM_X86_64", "x86_64-linux-gnu")}
MAIN = "tests/matrix/data/softmax_main.c"
LIMIT = 120.0


@pytest.fixture(params=["g++", "clang"])
def compiler(request: pytest.FixtureRequest) -> str:
    """Return each compiler in turn."""
    return str(request.param)


@pytest.fixture
def objects(compiler: str, tmp_path: Path) -> list[Path]:
    """Return the kernels as objects of one compiler."""
    made = [tmp_path / f"{name}.obj" for name in NAMES]
    for output, source in zip(made, SOURCES, strict=True):
        cc.create_executable(output, [source], options=["-O3", "-fPIC"], cc=compiler)
        assert elf.read(output).type == "ET_REL"
    return made


@pytest.mark.parametrize("name", NAMES)
def test_shared_library_of_a_kernel_runs(
    compiler: str, arch: str, name: str, tmp_path: Path, artefact: Publish
) -> None:
    machine, triple = MACHINES[arch]
    kernel, library = KERNELS[name](), tmp_path / f"lib{name}.so"
    cc.create_shared(library, [kernel.source], options=["-O3"], cc=compiler)
    facts = elf.read(library)
    assert (facts.type, facts.machine, facts.exports) == ("ET_DYN", machine, frozenset([name]))
    artefact(
        f"lib{name}-{_tag(compiler)}.so",
        library,
        target=triple,
        arch=arch,
        evidence=[
            linked("cc.create_shared", compiler),
            inspected("pyelftools", f"{machine}, exports {name}"),
            executed("ctypes", kernels.verdict(kernel, native.run(library, kernel))),
        ],
    )


def test_static_library_links_into_a_program_that_runs(
    compiler: str, arch: str, objects: list[Path], tmp_path: Path, artefact: Publish
) -> None:
    """`-L` and `-l` of a user's static library, and `-lm` that it needs in turn, take effect."""
    library, program = tmp_path / "libkernels.a", tmp_path / "softmax"
    cc.create_staticlib(library, objects)
    assert cc.get_global_symbol_section_map(library) == dict.fromkeys(NAMES, "T")
    cc.create_executable(program, [MAIN], options=[f"-L{tmp_path}", "-lkernels", "-lm"], cc=compiler)
    numbers = _run_program(program, tmp_path)
    shown = [
        compiled("cc.create_executable", f"{compiler} -c: {len(objects)} objects"),
        linked("cc.create_staticlib", f"ar; then {compiler} with -lkernels into a program"),
        inspected("nm", f"defines {', '.join(NAMES)}"),
        executed("a program of it", numbers),
    ]
    artefact(f"libkernels-{_tag(compiler)}.a", library, target=MACHINES[arch][1], arch=arch, evidence=shown)


def test_executable_runs(compiler: str, arch: str, objects: list[Path], tmp_path: Path, artefact: Publish) -> None:
    program = tmp_path / "softmax"
    cc.create_executable(program, [MAIN, objects[0]], options=["-O2", "-lm"], cc=compiler)
    facts = elf.read(program)
    assert (facts.type, facts.machine) == ("ET_DYN", MACHINES[arch][0])
    assert "libm.so.6" in facts.needed
    shown = [
        linked("cc.create_executable", compiler),
        inspected("pyelftools", f"{facts.machine}, NEEDED {' '.join(facts.needed)}"),
        executed("the program itself", _run_program(program, tmp_path)),
    ]
    artefact(f"softmax-{_tag(compiler)}", program, target=MACHINES[arch][1], arch=arch, evidence=shown)


def test_shared_library_resolves_a_static_library_of_the_user(
    compiler: str, objects: list[Path], tmp_path: Path
) -> None:
    """With -z defs an undefined symbol is an error, so -lkernels and -lm must stand where they count."""
    caller, library = tmp_path / "caller.c", tmp_path / "libcaller.so"
    caller.write_text(
        '#ifdef __cplusplus\nextern "C" {\n#endif\n'
        "void softmax(const float *, float *, long, long);\n"
        "void twice(const float *x, float *y, long rows, long cols) { softmax(x, y, rows, cols); }\n"
        "#ifdef __cplusplus\n}\n#endif\n",
        encoding="utf-8",
    )
    cc.create_staticlib(tmp_path / "libkernels.a", objects)
    cc.create_shared(
        library, [caller], options=["-fPIC", f"-L{tmp_path}", "-lkernels", "-lm", "-Wl,-z,defs"], cc=compiler
    )
    kernel = kernels.softmax()
    kernels.worst(kernel, native.run(library, kernel))
    assert {"twice", "softmax"} <= elf.read(library).exports


@pytest.mark.parametrize("nm", ["nm", "llvm-nm"])
def test_symbols_are_mapped_by_either_nm_stripped_or_not(compiler: str, nm: str, tmp_path: Path) -> None:
    library = tmp_path / "libmatmul.so"
    cc.create_shared(library, ["examples/kernels/matmul.c"], cc=compiler)
    assert cc.get_global_symbol_section_map(library, nm=nm)["matmul"] == "T"
    process.run(["strip", library], timeout=LIMIT)
    assert cc.get_global_symbol_section_map(library, nm=nm)["matmul"] == "T"
    assert process.run(["nm", library], timeout=LIMIT, check=False).output.strip().endswith("no symbols")


def test_symbols_of_what_is_no_file_or_no_binary(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("not a binary", encoding="utf-8")
    with pytest.raises(FileNotFoundError):
        cc.get_global_symbol_section_map(tmp_path / "absent")
    with pytest.raises(CompileError, match="text"):
        cc.get_global_symbol_section_map(tmp_path / "text")


@pytest.mark.parametrize("ar", ["ar", "llvm-ar"])
def test_static_library_keeps_two_members_of_one_base_name(
    ar: str, compiler: str, objects: list[Path], tmp_path: Path
) -> None:
    """From one archive with two folders, made by the system's tar, and from two archives made by ours."""
    for number, member in enumerate(objects):
        (tmp_path / f"part{number}").mkdir()
        shutil.copy(member, tmp_path / f"part{number}" / "kernel.o")
    both, third = tmp_path / "both.tar", tmp_path / "third.tar"
    process.run(["tar", "-cf", both, "-C", tmp_path, "part0", "part1"], timeout=LIMIT)
    tar.tar(third, [tmp_path / "part2" / "kernel.o"])
    cc.create_staticlib(tmp_path / "libkernels.a", [both, third], ar=ar)
    assert set(cc.get_global_symbol_section_map(tmp_path / "libkernels.a")) == set(NAMES)
    members = process.run(["ar", "t", tmp_path / "libkernels.a"], timeout=LIMIT).output.split()
    assert members == ["kernel.o"] * 3
    cc.create_executable(tmp_path / "softmax", [MAIN, tmp_path / "libkernels.a"], options=["-lm"], cc=compiler)
    _run_program(tmp_path / "softmax", tmp_path)


def test_static_library_replaces_an_earlier_one(objects: list[Path], tmp_path: Path) -> None:
    cc.create_staticlib(tmp_path / "libkernels.a", objects)
    cc.create_staticlib(tmp_path / "libkernels.a", objects[:1])
    assert cc.get_global_symbol_section_map(tmp_path / "libkernels.a") == {NAMES[0]: "T"}


def test_compile_error_names_file_and_line_and_leaves_no_output(compiler: str, tmp_path: Path) -> None:
    (tmp_path / "wrong.c").write_text("int right;\nint wrong(void) { return unknown_name; }\n", encoding="utf-8")
    with pytest.raises(CompileError, match=r"wrong\.c:2:\d+: error: .*unknown_name") as error:
        cc.create_shared("libwrong.so", ["wrong.c"], cc=compiler, cwd=tmp_path)
    assert error.value.code == 1
    assert [path.name for path in tmp_path.iterdir()] == ["wrong.c"]


def test_a_compiler_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ToolNotFound, match="no-such-compiler"):
        cc.create_shared(tmp_path / "a.so", ["examples/kernels/matmul.c"], cc="no-such-compiler")


def test_the_compiler_is_taken_from_the_environment_or_from_path(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CXX", "CC"):
        monkeypatch.delenv(name, raising=False)
    assert cc.get_cc() == "/usr/bin/g++"
    monkeypatch.setenv("CC", "gcc")
    assert cc.get_cc() == "gcc"
    monkeypatch.setenv("CXX", "clang++")
    assert cc.get_cc() == "clang++"
    assert (cc.create_shared.get_target_triple() or "").strip() == "x86_64-pc-linux-gnu"


@pytest.mark.parametrize(("name", "triple"), [("g++", "x86_64-linux-gnu"), ("clang", "x86_64-pc-linux-gnu")])
def test_a_compiler_says_its_triple(name: str, triple: str) -> None:
    assert cc.get_target_by_dump_machine(name)() == f"{triple}\n"
    assert (cc.cross_compiler(name).get_target_triple() or "").strip() == triple


def test_no_compiler_has_no_triple() -> None:
    assert cc.get_target_by_dump_machine(None)() is None
    assert cc.get_target_by_dump_machine("no-such-compiler")() is None


def test_cross_compiler_adds_options_and_files(compiler: str, objects: list[Path], tmp_path: Path) -> None:
    options = ["-O3"]
    fcompile = cc.cross_compiler(compiler, options=options, add_files=[str(path) for path in objects[:2]])
    for _ in range(2):
        fcompile(str(tmp_path / "liball.so"), [str(objects[2])], options=["-lm", "-Wl,-z,defs"])
    assert options == ["-O3"]
    assert fcompile.output_format == "so"
    assert elf.read(tmp_path / "liball.so").exports >= set(NAMES)
    for make in KERNELS.values():
        kernels.worst(make(), native.run(tmp_path / "liball.so", make()))


def test_a_second_compile_is_served_by_ccache(compiler: str, tmp_path: Path) -> None:
    env = {"CCACHE_DIR": str(tmp_path / "cache")}
    seen = []
    for number in range(2):
        library = tmp_path / f"lib{number}.so"
        cc.create_shared(library, ["examples/kernels/softmax.c"], ["-O2", "-lm"], cc=compiler, ccache_env=env)
        said = process.run(["ccache", "--print-stats"], env={**os.environ, **env}, timeout=LIMIT).output
        counts = dict(line.split("\t") for line in said.splitlines())
        hits = int(counts["direct_cache_hit"]) + int(counts["preprocessed_cache_hit"])
        seen.append((hits, int(counts["cache_miss"])))
    assert seen == [(0, 1), (1, 1)]
    _same_library_that_runs(tmp_path)


def test_a_second_compile_is_served_by_sccache(compiler: str, tmp_path: Path) -> None:
    env = {"SCCACHE_DIR": str(tmp_path / "cache"), "SCCACHE_SERVER_UDS": str(tmp_path / "socket")}
    seen = []
    try:
        for number in range(2):
            options = ["-O2", "-lm"]
            source = "examples/kernels/softmax.c"
            cc.create_shared(
                tmp_path / f"lib{number}.so", [source], options, cc=compiler, ccache_env=env, launcher="sccache"
            )
            said = process.run(
                ["sccache", "--show-stats", "--stats-format=json"], env={**os.environ, **env}, timeout=LIMIT
            )
            stats = json.loads(said.output)["stats"]
            seen.append(tuple(sum(stats[name]["counts"].values()) for name in ("cache_hits", "cache_misses")))
    finally:
        process.run(["sccache", "--stop-server"], env={**os.environ, **env}, timeout=LIMIT, check=False)
    assert seen == [(0, 1), (1, 1)]
    _same_library_that_runs(tmp_path)


def _same_library_that_runs(folder: Path) -> None:
    first, second = folder / "lib0.so", folder / "lib1.so"
    assert first.read_bytes() == second.read_bytes()
    kernels.worst(kernels.softmax(), native.run(second, kernels.softmax()))


def _run_program(program: Path, folder: Path) -> str:
    """Run softmax_main and compare its numbers."""
    kernel = kernels.softmax()
    x, _, rows, cols = kernel.words
    assert isinstance(x, np.ndarray)
    source, result = kernels.save(x, folder / "x.bin"), folder / "y.bin"
    process.run([program, str(rows), str(cols), source, result], timeout=LIMIT)
    return kernels.verdict(kernel, np.fromfile(result, dtype=np.float32).reshape(kernel.expected.shape))


def _tag(compiler: str) -> str:
    return compiler.replace("+", "x")
