"""tvm.support.rocm finds ROCm by each route, and what it says of processors is what clang and rocminfo say."""

import os
from pathlib import Path

import pytest
import tvm_ffi

from tests.matrix.code_object import LIMIT, MACHINES, WAVES
from tvm.error import ConfigError, ToolNotFound
from tvm.support import process, rocm

ROOT = Path("/opt/rocm")
MATMUL = "examples/kernels/matmul.hip"
# One instruction of each kind, and the processors that may have it: a matrix product by clang's own name.
MATRIX = """
typedef float v16f __attribute__((ext_vector_type(16)));
typedef float v8f __attribute__((ext_vector_type(8)));
typedef half v16h __attribute__((ext_vector_type(16)));
typedef half v8h __attribute__((ext_vector_type(8)));
#ifdef MFMA
kernel void k(global v16f *x) { *x = __builtin_amdgcn_mfma_f32_32x32x2f32(1.0f, 2.0f, *x, 0, 0, 0); }
#elif defined(WMMA)
kernel void k(global v8f *y, global v16h *z) { *y = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(z[0], z[1], *y); }
#else
kernel void k(global v8f *y, global v8h *z) { *y = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(z[0], z[1], *y); }
#endif
"""


def _by_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROCM_PATH", str(ROOT))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")


def _by_hipcc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROCM_PATH")
    monkeypatch.setenv("PATH", f"{ROOT / 'bin'}:/usr/bin:/bin")


def _by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    # dirname, for hipcc's wrapper, but no hipcc: Debian's is in /usr/bin.
    monkeypatch.delenv("ROCM_PATH")
    monkeypatch.setenv("PATH", "/nowhere")


ROUTES = {"ROCM_PATH": _by_variable, "hipcc on PATH": _by_hipcc, "/opt/rocm": _by_default}


@pytest.mark.parametrize("route", ROUTES)
def test_each_route_finds_the_same_layout(route: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ROUTES[route](monkeypatch)
    assert rocm.find_rocm_path() == str(ROOT)
    assert rocm.find_lld()[0] == str(ROOT / "llvm/bin/ld.lld")
    files = rocm.callback_rocm_bitcode_path(arch="gfx942")
    assert {str(Path(file).parent) for file in files} == {str(ROOT / "amdgcn/bitcode")}


@pytest.mark.parametrize("route", ROUTES)
def test_each_route_gives_the_same_code(route: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = rocm.compile_hip(MATMUL, "gfx942"), rocm.compile_ir("examples/kernels/matmul.ll", "gfx942")
    ROUTES[route](monkeypatch)
    assert (rocm.compile_hip(MATMUL, "gfx942"), rocm.compile_ir("examples/kernels/matmul.ll", "gfx942")) == expected


def test_debians_own_layout_is_found_through_its_hipcc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROCM_PATH")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert rocm.find_rocm_path() == "/usr"
    files = rocm.callback_rocm_bitcode_path(arch="gfx942")
    assert {str(Path(file).parent) for file in files} == {"/usr/lib/llvm-21/lib/clang/21/amdgcn/bitcode"}
    assert rocm.find_lld()[0] == "/usr/lib/llvm-21/bin/ld.lld"
    by_hipcc, by_llvm = rocm.compile_hip(MATMUL, "gfx942"), rocm.compile_ir("examples/kernels/matmul.ll", "gfx942")
    monkeypatch.undo()
    assert by_hipcc == rocm.compile_hip(MATMUL, "gfx942")
    assert by_llvm == rocm.compile_ir("examples/kernels/matmul.ll", "gfx942")


def test_lld_with_a_version_in_its_name_is_found_on_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "ld.lld-21").symlink_to("/usr/bin/ld.lld-21")
    monkeypatch.setenv("ROCM_PATH", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert rocm.find_lld()[0] == str(tmp_path / "ld.lld-21")


def test_a_folder_without_rocm_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ROCM_PATH", str(tmp_path))
    with pytest.raises(ToolNotFound, match=r"no device libraries \(ocml\.bc\) below") as libraries:
        rocm.callback_rocm_bitcode_path(arch="gfx942")
    with pytest.raises(ToolNotFound, match="no hipcc in ROCm's folder") as compiler:
        rocm.compile_hip(MATMUL, "gfx942")
    assert str(tmp_path / "amdgcn/bitcode") in libraries.value.looked
    assert compiler.value.looked == (str(tmp_path / "bin/hipcc"),)


def test_rocminfo_sees_no_gpu_and_the_fallback_says_so() -> None:
    """The box has no GPU: what rocminfo answers stands in the one warning, and in the error where an arch is required."""
    said = process.run(["rocminfo"], check=False, timeout=LIMIT)
    assert said.code == 1
    assert "ROCk module is NOT loaded" in said.output
    with pytest.warns(RuntimeWarning, match=r"ROCk module is NOT loaded.*gfx900 is assumed: set TVM_ROCM_ARCH") as seen:
        assert rocm.get_rocm_arch() == "gfx900"
    assert len(seen) == 1
    with pytest.raises(ConfigError, match=r"no AMD GPU arch is known: .*ROCk module is NOT loaded"):
        rocm.get_rocm_arch(required=True)


def test_nothing_that_links_or_compiles_takes_the_fallback() -> None:
    for call in (
        rocm.callback_rocm_bitcode_path,
        lambda: rocm.compile_hip(MATMUL),
        lambda: rocm.compile_ir("examples/kernels/matmul.ll"),
        lambda: rocm.compile_opencl("examples/kernels/softmax.cl"),
        rocm.have_matrixcore,
        rocm.list_rocm_archs,
    ):
        with pytest.raises(ConfigError, match="ROCk module is NOT loaded") as caught:
            call()
        assert "TVM_ROCM_ARCH" in caught.value.fix


def test_the_user_may_say_the_archs(monkeypatch: pytest.MonkeyPatch, archs: list[str]) -> None:
    monkeypatch.setenv("TVM_ROCM_ARCH", ",".join(archs))
    assert rocm.list_rocm_archs() == archs
    assert str(tvm_ffi.get_global_func("tvm_callback_rocm_get_arch")()) == archs[0]
    files = [str(file) for file in tvm_ffi.get_global_func("tvm_callback_rocm_bitcode_path")()]
    assert files == rocm.callback_rocm_bitcode_path(arch=archs[0])


def test_every_arch_of_the_cell_is_known(archs: list[str]) -> None:
    assert set(archs) == set(MACHINES) == set(WAVES)


def test_archs_of_every_device_library_are_understood() -> None:
    """What the maker of the device libraries names, this project reads."""
    for file in sorted((ROOT / "amdgcn/bitcode").glob("oclc_isa_version_*.bc")):
        isa = file.stem.removeprefix("oclc_isa_version_")
        assert str(file) in rocm.callback_rocm_bitcode_path(arch=f"gfx{isa}")


def test_matrix_cores_are_those_that_clang_has_instructions_for(tmp_path: Path) -> None:
    source = tmp_path / "matrix.cl"
    source.write_text(MATRIX, encoding="utf-8")
    known = _processors()
    assert {"gfx906", "gfx908", "gfx90c", "gfx1030", *MACHINES} <= set(known)
    assert {name for name in known if rocm.have_matrixcore(name)} == {
        name for name in known if _multiplies(name, source)
    }


def _processors() -> list[str]:
    """Return the processors that are one chip each and have device libraries; LLVM dropped gfx940 and gfx941."""
    listed = process.run(["llc", "-mtriple=amdgcn", "-mcpu=help", os.devnull, "-o", os.devnull], timeout=LIMIT).output
    words = {line.split()[0] for line in listed.splitlines() if line.startswith("  gfx")}
    isas = (file.stem.removeprefix("oclc_isa_version_") for file in (ROOT / "amdgcn/bitcode").glob("oclc_isa_*.bc"))
    return sorted(f"gfx{isa}" for isa in isas if f"gfx{isa}" in words and "generic" not in isa)


def _multiplies(processor: str, source: Path) -> bool:
    options = ["-x", "cl", "-cl-std=CL2.0", "--target=amdgcn-amd-amdhsa", f"-mcpu={processor}", "-nogpulib"]
    for kind in ("-DMFMA", "-DWMMA", "-DWMMA12"):
        # To an object: what a processor lacks is only seen there.
        argv = ["clang", *options, kind, "-c", source, "-o", os.devnull]
        if process.run(argv, check=False, timeout=LIMIT).code == 0:
            return True
    return False
