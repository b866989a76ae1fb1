"""tvm.support.cc with Debian's cross GCCs: libraries and programs for other Linux machines, run under qemu-user."""

from pathlib import Path

import pytest

from tests.matrix import apple, elf, kernels, machines, windows
from tests.matrix.conftest import declared_archs
from tests.matrix.evidence import Evidence, compiled, executed, inspected, linked
from tests.matrix.kernels import KERNELS, NAMES, SOURCES
from tests.matrix.machines import MACHINES, Machine
from tests.matrix.publish import Publish
from tvm.error import CompileError
from tvm.support import cc


@pytest.fixture(params=[arch for arch in declared_archs() if arch in MACHINES])
def machine(request: pytest.FixtureRequest) -> Machine:
    """Return one of the machines that the cell declares."""
    return MACHINES[request.param]


@pytest.fixture
def loader(machine: Machine, tmp_path: Path) -> Path:
    """Return a program of the machine that loads a library and calls a kernel of it."""
    return machines.build_loader(machine, tmp_path / "tvm-run")


def test_every_arch_of_the_cell_belongs_to_one_of_its_checks(archs: list[str]) -> None:
    assert set(archs) == {*MACHINES, *windows.ARCHS, *apple.SYSTEMS}


@pytest.mark.parametrize("name", NAMES)
def test_shared_library_of_a_kernel_runs(
    machine: Machine, loader: Path, name: str, tmp_path: Path, artefact: Publish
) -> None:
    kernel, library = KERNELS[name](), tmp_path / f"lib{name}.so"
    fcompile = cc.cross_compiler(machine.cc, options=["-O3", "-lm"])
    fcompile(str(library), [kernel.source], options=[f"-Wl,-soname,{library.name}"])
    seen = _inspect(library, machine, {name}, soname=library.name)
    numbers = kernels.verdict(kernel, machine.run(loader, library, kernel, tmp_path))
    artefact(
        f"{machine.name}/{library.name}",
        library,
        target=machine.triple,
        arch=machine.name,
        evidence=[
            linked("cc.cross_compiler", f"{machine.cc} and GNU ld"),
            inspected("pyelftools", seen),
            executed(machine.emulator, numbers),
        ],
    )


def test_static_library_holds_the_kernels_and_runs(
    machine: Machine, loader: Path, tmp_path: Path, artefact: Publish
) -> None:
    objects = [_object(machine, source, tmp_path) for source in SOURCES]
    library, whole = tmp_path / "libkernels.a", tmp_path / "libwhole.so"
    cc.create_staticlib(library, objects, ar=f"{machine.triple}-ar")
    assert cc.get_global_symbol_section_map(library, nm=f"{machine.triple}-nm") == dict.fromkeys(NAMES, "T")
    options = ["-Wl,--whole-archive", str(library), "-Wl,--no-whole-archive", "-lm"]
    cc.create_shared(whole, [], options=options, cc=machine.cc)
    _inspect(whole, machine, set(NAMES))
    artefact(
        f"{machine.name}/{library.name}",
        library,
        target=machine.triple,
        arch=machine.name,
        evidence=[
            compiled(machine.cc, f"-c: {len(objects)} objects for {machine.machine}"),
            linked("cc.create_staticlib", f"{machine.triple}-ar; then whole into a shared library"),
            inspected(f"{machine.triple}-nm", f"defines {', '.join(NAMES)}"),
            *(_run(machine, loader, whole, name, tmp_path) for name in NAMES),
        ],
    )


def test_cxx_library_brings_what_it_throws_with(
    machine: Machine, loader: Path, tmp_path: Path, artefact: Publish
) -> None:
    """An exception is thrown and caught inside: unwinding is the part of C++ that differs most between machines."""
    library = tmp_path / "libthrows.so"
    cc.create_shared(library, ["tests/matrix/data/throws.cc"], options=["-O2"], cc=machine.cxx)
    seen = _inspect(library, machine, {"softmax"})
    assert "libstdc++.so.6" in elf.read(library).needed
    artefact(
        f"{machine.name}/{library.name}",
        library,
        target=machine.triple,
        arch=machine.name,
        evidence=[
            linked("cc.create_shared", f"{machine.cxx} and GNU ld"),
            inspected("pyelftools", seen),
            _run(machine, loader, library, "softmax", tmp_path),
        ],
    )


def test_cross_compiler_reports_the_machine_s_triple(machine: Machine) -> None:
    get = cc.cross_compiler(machine.cc).get_target_triple
    assert get() == f"{machine.triple}\n"


def test_library_of_another_machine_is_refused(machine: Machine, loader: Path, tmp_path: Path) -> None:
    """What runs is the machine's own code: the loader takes no other."""
    other = next(name for name in MACHINES if name != machine.name)
    library, kernel = tmp_path / "libother.so", kernels.softmax()
    cc.create_shared(library, [kernel.source], options=["-lm"], cc=MACHINES[other].cc)
    with pytest.raises(
        CompileError, match=r"tvm-run: dlopen: .*(wrong ELF class|cannot open shared object file|machine)"
    ):
        machine.run(loader, library, kernel, tmp_path)


def test_compile_error_names_file_and_line_and_leaves_no_output(machine: Machine, tmp_path: Path) -> None:
    source, library = tmp_path / "wrong.c", tmp_path / "libwrong.so"
    source.write_text("int right;\nint wrong(void) { return unknown_name; }\n", encoding="utf-8")
    with pytest.raises(CompileError, match=r"wrong\.c:2:\d+: error: .*unknown_name"):
        cc.create_shared(library, [source], cc=machine.cc)
    assert [path.name for path in tmp_path.iterdir()] == ["wrong.c"]


def _object(machine: Machine, source: str, folder: Path) -> Path:
    made = folder / f"{Path(source).stem}.o"
    cc.create_executable(made, [source], options=["-O3", "-fPIC", "-c"], cc=machine.cc)
    facts = elf.read(made)
    assert (facts.type, facts.machine, facts.bits) == ("ET_REL", machine.machine, machine.bits)
    return made


def _run(machine: Machine, loader: Path, library: Path, name: str, folder: Path) -> Evidence:
    kernel = KERNELS[name]()
    return executed(machine.emulator, kernels.verdict(kernel, machine.run(loader, library, kernel, folder)))


def _inspect(library: Path, machine: Machine, exports: set[str], *, soname: str = "") -> str:
    """Compare a shared library with what the machine's loader asks of it, and return it as an evidence's detail."""
    facts = elf.read(library)
    assert (facts.type, facts.machine, facts.bits) == ("ET_DYN", machine.machine, machine.bits)
    assert (facts.soname, facts.exports & {*NAMES}) == (soname, frozenset(exports))
    return f"{facts.machine}, {facts.bits} bits, SONAME {facts.soname or 'none'}, NEEDED {' '.join(facts.needed)}"
