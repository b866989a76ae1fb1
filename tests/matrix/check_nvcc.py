"""tvm.support.nvcc by nvcc: every format for every arch that it knows, what kernels include, errors."""

from pathlib import Path

import pytest

from tests.matrix import cuda, disassembly, gpu
from tests.matrix.cuda import CELL, FORMATS, HEADERS, KERNELS, SUFFIX, TARGET, Format
from tests.matrix.evidence import compiled
from tests.matrix.publish import Publish
from tvm.error import CompileError
from tvm.support import nvcc

_RELEASE = ".".join(map(str, CELL.cuda))
_EXP = cuda.EXP
_EMPTY = 'extern "C" __global__ void f() {}'


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("known", CELL.nvcc)
def test_kernel_in_each_format(known: str, name: str, form: Format, tmp_path: Path, artefact: Publish) -> None:
    source, product = KERNELS[name], tmp_path / f"{name}{SUFFIX[form]}"
    data = nvcc.compile_cuda(source.path, form, known, path_target=product, compiler="nvcc")
    assert product.read_bytes() == data
    made = compiled("nvcc.compile_cuda", f"nvcc {_RELEASE}, {form} for {known}, {len(data)} bytes")
    seen = cuda.inspect(product, form, source, known)
    ran = [gpu.run(product, source, known)] if form == "cubin" else []
    artefact(f"{known}/{name}-nvcc{SUFFIX[form]}", product, target=TARGET, arch=known, evidence=[made, *seen, *ran])


@pytest.mark.parametrize("name", HEADERS)
def test_headers_of_the_toolkit(name: str, tmp_path: Path, artefact: Publish) -> None:
    """Half, bfloat16 and 8-bit floats, cooperative groups, tensor cores, the tensor memory accelerator; on one arch that has all."""
    source, product, arch = HEADERS[name], tmp_path / f"{name}.cubin", "sm_90a"
    nvcc.compile_cuda(source.path, "cubin", arch, path_target=product, compiler="nvcc")
    made = compiled("nvcc.compile_cuda", f"nvcc {_RELEASE} with the headers of {name}")
    shown = [made, *cuda.inspect(product, "cubin", source, arch)]
    artefact(f"{arch}/{name}-nvcc.cubin", product, target=TARGET, arch=arch, evidence=shown)


def test_headers_of_the_host() -> None:
    text = nvcc.compile_cuda(Path("tests/matrix/data/cuda/host_headers.cu"), "ptx", "sm_90a", compiler="nvcc").decode()
    assert ".entry host_headers(" in text


def test_an_arch_that_this_nvcc_does_not_know_is_refused(archs: list[str], tmp_path: Path) -> None:
    refused = [*(arch for arch in archs if arch not in CELL.nvcc), "sm_10a"]
    for arch in refused:
        with pytest.raises(CompileError, match=arch) as error:
            nvcc.compile_cuda(_EMPTY, "cubin", arch, path_target=tmp_path / "f.cubin", compiler="nvcc")
        assert error.value.code != 0
    assert list(tmp_path.iterdir()) == []


def test_fatbin_of_several_archs(tmp_path: Path) -> None:
    product = tmp_path / "f.fatbin"
    nvcc.compile_cuda(_EMPTY, "fatbin", list(CELL.nvcc), path_target=product, compiler="nvcc")
    assert {(arch, "cubin") for arch in CELL.nvcc} <= disassembly.members(product)


def test_ptx_is_the_default() -> None:
    assert b".entry f(" in nvcc.compile_cuda(_EMPTY, arch="sm_90a", compiler="nvcc")


def test_error_has_the_users_file_and_line(tmp_path: Path) -> None:
    source, product = tmp_path / "wrong.cu", tmp_path / "wrong.cubin"
    source.write_text(f"#include <cuda_fp16.h>\n\n{_EMPTY}\nint wrong = unknown_name;\n", encoding="utf-8")
    with pytest.raises(CompileError, match=r'wrong\.cu\(4\): error: .*"unknown_name"') as error:
        nvcc.compile_cuda(source, "cubin", "sm_90a", path_target=product, compiler="nvcc")
    assert Path(error.value.command[0]).name == "nvcc"
    assert not product.exists()


def test_options_reach_nvcc() -> None:
    code = 'static_assert(BASE == 3, ""); extern "C" __global__ void f(float *x) { x[0] /= x[1]; }'
    text = nvcc.compile_cuda(code, "ptx", "sm_90a", ["-DBASE=3", "-Xcompiler", "-Wall"], compiler="nvcc").decode()
    assert "div.approx.ftz" in text
    precise = nvcc.compile_cuda(code, "ptx", "sm_90a", "-DBASE=3", compiler="nvcc", fast_math=False).decode()
    assert "div.approx.ftz" not in precise


def test_the_callback_compiles_by_nvcc_when_told_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_CUDA_COMPILE_MODE", "nvcc")
    product = tmp_path / "f.fatbin"
    product.write_bytes(nvcc.tvm_callback_cuda_compile(_EMPTY, "sm_90a"))
    assert ("sm_90a", "cubin") in disassembly.members(product)


def test_source_and_product_are_dumped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_KERNEL_DUMP", str(tmp_path / "dump"))
    data = nvcc.compile_cuda(_EXP, "ptx", "sm_90a", compiler="nvcc")
    cuda.require_dumped(tmp_path / "dump", _EXP, data)


def test_a_debug_build_has_debug_information(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_KERNEL_DEBUG", "1")
    product = tmp_path / "f.cubin"
    nvcc.compile_cuda(_EXP, "cubin", "sm_90a", path_target=product, compiler="nvcc")
    assert b".debug_info" in product.read_bytes()


def test_libdevice_and_versions_are_found_in_the_image() -> None:
    """No variable names a toolkit here: the search finds nvcc's."""
    assert nvcc.get_cuda_version()[:2] == CELL.cuda
    assert Path(nvcc.find_libdevice_path(90)).read_bytes()[:4] in {b"BC\xc0\xde", b"\xde\xc0\x17\x0b"}
    assert Path(nvcc.find_cuda_path(), "include", "cuda_runtime.h").is_file()
