import inspect
from pathlib import Path

import pytest
import tvm_ffi

from tests.unit.stand_in import MakeStandIn, StandIn
from tests.unit.support import rocm_home
from tests.unit.support.rocm_home import CODE_OBJECT, MAKES_CODE_OBJECT, program
from tvm.error import CompileError, ConfigError, ToolNotFound
from tvm.support import rocm


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return ROCm's folder."""
    return rocm_home.lay_out(tmp_path, monkeypatch)


@pytest.fixture
def lld(stand_in: MakeStandIn) -> StandIn:
    """Return a linker that makes a code object."""
    return stand_in("ld.lld", body=MAKES_CODE_OBJECT, makes=False)


def _object(folder: Path, content: bytes = CODE_OBJECT) -> Path:
    made = folder / "kernel.o"
    made.write_bytes(content)
    return made


def test_an_object_is_linked(lld: StandIn, tmp_path: Path) -> None:
    rocm.rocm_link(_object(tmp_path), out_file=tmp_path / "k.co")
    product = str(tmp_path / ".k.co.tvm/k.co")
    assert lld.calls == [["-m", "elf64_amdgpu", "--no-undefined", "-shared", str(tmp_path / "kernel.o"), "-o", product]]
    assert (tmp_path / "k.co").read_bytes() == CODE_OBJECT


def test_another_linker_may_be_named(stand_in: MakeStandIn, tmp_path: Path) -> None:
    mine = stand_in("my-lld", body=MAKES_CODE_OBJECT, makes=False)
    rocm.rocm_link(str(_object(tmp_path)), str(tmp_path / "k.co"), lld=mine.path)
    assert len(mine.calls) == 1


def test_linkers_are_found_best_first(stand_in: MakeStandIn, home: Path) -> None:
    named = [stand_in(name).path for name in ("ld.lld", "ld.lld-21", "ld.lld-9")]
    assert rocm.find_lld() == named
    own = program(home / "llvm/bin", "ld.lld").path
    assert rocm.find_lld() == [own, *named]


def test_without_a_linker_the_error_says_where_it_looked(home: Path) -> None:
    assert rocm.find_lld(required=False) == []
    with pytest.raises(ToolNotFound, match=r"cannot find ld\.lld") as caught:
        rocm.find_lld()
    assert str(home / "llvm/bin") in caught.value.looked


@pytest.mark.parametrize(
    ("content", "advice"),
    [
        (b"__CLANG_OFFLOAD_BUNDLE__\1", "is an offload bundle, not an ELF file"),
        (b"CCOB\2", "is an offload bundle, not an ELF file"),
        (b"\x7fELF\x02\x01\x01" + bytes(11) + b"\x3e\0", r"another machine \(ELF machine 62\)"),
        (b"; ModuleID", "is no ELF file"),
        (CODE_OBJECT, ""),
    ],
)
def test_the_linkers_words_and_ours(content: bytes, advice: str, stand_in: MakeStandIn, tmp_path: Path) -> None:
    stand_in("ld.lld", output="ld.lld: error: its own words\n", code=1)
    with pytest.raises(CompileError, match=r"Linking error using ld\.lld:\nld\.lld: error: its own words") as caught:
        rocm.rocm_link(_object(tmp_path, content), tmp_path / "k.co")
    assert bool(caught.value.fix) is bool(advice)
    assert caught.match(advice)
    assert not (tmp_path / "k.co").exists()


def test_the_callback_links_bytes_and_leaves_nothing(lld: StandIn, tmp_path: Path) -> None:
    assert rocm.callback_rocm_link(obj_bin=bytearray(CODE_OBJECT)) == CODE_OBJECT
    assert len(lld.calls) == 1
    assert list((tmp_path / "temporary").iterdir()) == []


def test_registered_functions_are_the_python_functions_which_stay_ones(
    lld: StandIn, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TVM_ROCM_ARCH", "gfx1100")
    assert bytes(tvm_ffi.get_global_func("tvm_callback_rocm_link")(CODE_OBJECT)) == CODE_OBJECT
    assert len(lld.calls) == 1
    assert str(tvm_ffi.get_global_func("tvm_callback_rocm_get_arch")()) == "gfx1100"
    files = [str(file) for file in tvm_ffi.get_global_func("tvm_callback_rocm_bitcode_path")()]
    assert files == rocm.callback_rocm_bitcode_path(rocdl_dir=home / "amdgcn/bitcode", arch="gfx1100")
    assert list(inspect.signature(rocm.get_rocm_arch).parameters) == ["rocm_path", "required"]


def test_device_libraries_of_a_processor(home: Path) -> None:
    files = rocm.callback_rocm_bitcode_path(
        arch="gfx1201",
        wavefront=64,
        abi=600,
        daz=True,
        finite_only=True,
        unsafe_math=True,
        correctly_rounded_sqrt=False,
    )
    assert {Path(file).parent for file in files} == {home / "amdgcn/bitcode"}
    assert [Path(file).stem.removeprefix("oclc_") for file in files] == [
        "ocml",
        "ockl",
        "daz_opt_on",
        "unsafe_math_on",
        "finite_only_on",
        "correctly_rounded_sqrt_off",
        "wavefrontsize64_on",
        "isa_version_1201",
        "abi_version_600",
    ]


@pytest.mark.parametrize(
    ("text", "expected"), [("9.4", (9, 4)), ("10.3", (10, 3)), ("9.0.10", (9, 0)), ("11.0-beta", (11, 0))]
)
def test_a_compute_version_is_read(text: str, expected: tuple[int, int]) -> None:
    assert rocm.parse_compute_version(text) == expected


@pytest.mark.parametrize("text", ["", "9", "nine.four", ".4"])
def test_what_is_no_compute_version_is_refused(text: str) -> None:
    with pytest.raises(RuntimeError, match="Compute version parsing error"):
        rocm.parse_compute_version(compute_version=text)


@pytest.mark.parametrize(
    "version", ["9.0", "9.0.8", "9.0.10", "9.4", "9.5", "11.0", "12.0", "gfx908", "gfx90a:xnack+", "gfx1100"]
)
def test_cdna_and_late_rdna_multiply_matrices(version: str) -> None:
    assert rocm.have_matrixcore(version)


@pytest.mark.parametrize(
    "version", ["8.0", "9.0.0", "9.0.6", "9.0.12", "10.1", "10.3", "gfx906", "gfx90c", "gfx1030", "gfx9-generic"]
)
def test_vega_and_early_rdna_do_not(version: str) -> None:
    assert not rocm.have_matrixcore(version)


def test_the_gpu_here_is_asked_when_no_version_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RuntimeError, match="No ROCm runtime found"):
        rocm.have_matrixcore()
    monkeypatch.setenv("TVM_ROCM_ARCH", "gfx942,gfx1030")
    assert rocm.have_matrixcore()


def test_device_libraries_of_no_known_processor_are_an_error_not_the_fallback() -> None:
    with pytest.raises(ConfigError, match="no AMD GPU arch is known"):
        rocm.callback_rocm_bitcode_path()


def test_the_arch_of_the_first_gpu(stand_in: MakeStandIn) -> None:
    stand_in("rocminfo", output="  Name:    gfx942\n  Name:    gfx1100\n")
    assert rocm.get_rocm_arch() == rocm.get_rocm_arch(required=True) == "gfx942"
    assert rocm.list_rocm_archs() == ["gfx942", "gfx1100"]


def test_without_a_gpu_the_seeds_fallback_comes_with_one_warning(stand_in: MakeStandIn) -> None:
    stand_in("rocminfo", output="ROCk module is NOT loaded\n", code=1)
    with pytest.warns(RuntimeWarning) as seen:
        assert rocm.get_rocm_arch() == "gfx900"
    (warning,) = seen
    assert "says: ROCk module is NOT loaded; gfx900 is assumed: set TVM_ROCM_ARCH" in str(warning.message)
    assert warning.filename == __file__


@pytest.mark.parametrize("place", [None, "empty"])
def test_a_folder_without_rocminfo_is_a_warning_too_and_nothing_is_printed(
    place: str | None, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """In the seed it is a FileNotFoundError, and what is wrong goes to stdout."""
    (tmp_path / "empty").mkdir()
    with pytest.warns(RuntimeWarning, match="program not found.*gfx900 is assumed"):
        assert rocm.get_rocm_arch(None if place is None else tmp_path / place) == "gfx900"
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("path", [None, "no-such-folder"])
def test_a_required_arch_that_is_not_known_is_an_error(path: str | None) -> None:
    with pytest.raises(ConfigError, match="no AMD GPU arch is known"):
        rocm.get_rocm_arch(path, required=True)
