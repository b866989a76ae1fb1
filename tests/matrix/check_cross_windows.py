"""tvm.support.cc with MinGW-w64: DLLs and static libraries for Windows, loaded and called under wine."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.matrix import kernels, windows
from tests.matrix.evidence import Evidence, compiled, executed, inspected, linked
from tests.matrix.kernels import KERNELS, NAMES, SOURCES
from tests.matrix.publish import Publish
from tests.matrix.windows import ARCHS, CC, CXX, SAME_BYTES, TRIPLE, Wine
from tvm.error import CompileError
from tvm.support import cc

(ARCH,) = ARCHS
# The C run times of Windows itself: the old one, and the one in parts.
_SYSTEM = ("kernel32.dll", "msvcrt.dll", "ucrtbase.dll", "api-ms-win-crt-")


@pytest.fixture(scope="module")
def wine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wine]:
    """Return wine, which starts once for all tests."""
    with windows.wine(tmp_path_factory.mktemp("wine")) as started:
        yield started


@pytest.mark.parametrize("name", NAMES)
def test_dll_of_a_kernel_runs(wine: Wine, name: str, tmp_path: Path, artefact: Publish) -> None:
    kernel, library = KERNELS[name](), tmp_path / f"{name}.dll"
    fcompile = cc.cross_compiler(CC, options=["-O3", *SAME_BYTES], output_format="dll")
    fcompile(str(library), [kernel.source])
    evidence = [
        linked("cc.cross_compiler", f"{CC} and GNU ld"),
        inspected("llvm-readobj", _inspect(library, {name})),
        _run(wine, library, name, tmp_path),
    ]
    artefact(f"{ARCH}/{library.name}", library, target=TRIPLE, arch=ARCH, evidence=evidence)


def test_static_library_holds_the_kernels_and_runs(wine: Wine, tmp_path: Path, artefact: Publish) -> None:
    objects = [tmp_path / f"{name}.obj" for name in NAMES]
    for made, source in zip(objects, SOURCES, strict=True):
        cc.create_executable(made, [source], options=["-O3"], cc=CC)
    library, whole = tmp_path / "libkernels.a", tmp_path / "whole.dll"
    cc.create_staticlib(library, objects, ar=f"{TRIPLE}-ar")
    assert set(cc.get_global_symbol_section_map(library, nm=f"{TRIPLE}-nm")) == set(NAMES)
    options = ["-Wl,--whole-archive", str(library), "-Wl,--no-whole-archive", *SAME_BYTES]
    cc.create_shared(whole, [], options=options, cc=CC)
    _inspect(whole, set(NAMES))
    evidence = [
        compiled(CC, f"-c: {len(objects)} objects"),
        linked("cc.create_staticlib", f"{TRIPLE}-ar; then whole into a DLL"),
        inspected(f"{TRIPLE}-nm", f"defines {', '.join(NAMES)}"),
        *(_run(wine, whole, name, tmp_path) for name in NAMES),
    ]
    artefact(f"{ARCH}/{library.name}", library, target=TRIPLE, arch=ARCH, evidence=evidence)


def test_cxx_dll_needs_no_library_of_the_compiler(wine: Wine, tmp_path: Path, artefact: Publish) -> None:
    """An exception is thrown and caught inside; what it takes is linked in."""
    library = tmp_path / "throws.dll"
    options = ["-O2", "-static-libgcc", "-static-libstdc++", *SAME_BYTES]
    # Without a list the functions of the C++ library would be exported as well.
    names = tmp_path / "names.def"
    names.write_text("EXPORTS\n  softmax\n", encoding="utf-8")
    cc.create_shared(library, ["tests/matrix/data/throws.cc", names], options=options, cc=CXX)
    evidence = [
        linked("cc.create_shared", f"{CXX} and GNU ld, libstdc++ and libgcc linked in"),
        inspected("llvm-readobj", _inspect(library, {"softmax"})),
        _run(wine, library, "softmax", tmp_path),
    ]
    artefact(f"{ARCH}/{library.name}", library, target=TRIPLE, arch=ARCH, evidence=evidence)


def test_same_bytes_in_another_folder_at_another_time(tmp_path: Path) -> None:
    """The options are what does it: without them the header names the second of the link."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        cc.create_shared(tmp_path / name / "same.dll", ["examples/kernels/softmax.c"], options=SAME_BYTES, cc=CC)
    assert (tmp_path / "one/same.dll").read_bytes() == (tmp_path / "two/same.dll").read_bytes()
    cc.create_shared(tmp_path / "timed.dll", ["examples/kernels/softmax.c"], cc=CC)
    assert windows.read(tmp_path / "timed.dll").timestamp > 0


def test_cross_compiler_reports_windows() -> None:
    fcompile = cc.cross_compiler(CC, output_format="dll")
    assert (fcompile.output_format, fcompile.get_target_triple()) == ("dll", f"{TRIPLE}\n")


def test_a_function_that_is_not_there_is_an_error(wine: Wine, tmp_path: Path) -> None:
    """What runs is Windows' own search for the function: another name is not found."""
    library = tmp_path / "softmax.dll"
    cc.create_shared(library, ["examples/kernels/softmax.c"], cc=CC)
    with pytest.raises(CompileError, match="tvm-run: dlsym: Windows error 127"):
        wine.run(library, kernels.matmul(), tmp_path)


def test_a_library_of_linux_is_refused(wine: Wine, tmp_path: Path) -> None:
    library = tmp_path / "softmax.dll"
    library.write_bytes(Path("/proc/self/exe").read_bytes())
    with pytest.raises(CompileError, match="tvm-run: dlopen: Windows error"):
        wine.run(library, kernels.softmax(), tmp_path)


def _run(wine: Wine, library: Path, name: str, folder: Path) -> Evidence:
    kernel = KERNELS[name]()
    return executed("wine", kernels.verdict(kernel, wine.run(library, kernel, folder)))


def _inspect(library: Path, exports: set[str]) -> str:
    """Compare a DLL with what Windows' loader asks of it, and return it as an evidence's detail."""
    facts = windows.read(library)
    assert (facts.machine, facts.library, facts.timestamp) == ("IMAGE_FILE_MACHINE_AMD64", True, 0)
    assert facts.exports == exports
    assert [name for name in facts.needed if not name.lower().startswith(_SYSTEM)] == []
    return f"{facts.machine}, DLL, exports {' '.join(sorted(facts.exports))}, needs {' '.join(sorted(facts.needed))}"
