"""tvm.support.nvcc by NVRTC: every format for every arch, what kernels include, errors, switches. Nothing here has a GPU."""

import logging
from pathlib import Path

import pytest
import tvm_ffi

from tests.matrix import cuda, disassembly, gpu
from tests.matrix.cuda import CELL, FORMATS, HEADERS, KERNELS, SUFFIX, TARGET, Format
from tests.matrix.evidence import compiled, inspected
from tests.matrix.publish import Publish
from tvm.error import CompileError, TVMError
from tvm.support import nvcc

_EXP = cuda.EXP
_RELEASE = ".".join(map(str, CELL.nvrtc))


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", KERNELS)
def test_kernel_in_each_format(arch: str, name: str, form: Format, tmp_path: Path, artefact: Publish) -> None:
    source, product = KERNELS[name], tmp_path / f"{name}{SUFFIX[form]}"
    data = nvcc.compile_cuda(source.path, form, arch, path_target=product)
    assert product.read_bytes() == data
    made = compiled("nvcc.compile_cuda", f"NVRTC {_RELEASE}, {form} for {arch}, {len(data)} bytes")
    seen = cuda.inspect(product, form, source, arch)
    ran = [gpu.run(product, source, arch)] if form == "cubin" else []
    artefact(f"{arch}/{name}-nvrtc{SUFFIX[form]}", product, target=TARGET, arch=arch, evidence=[made, *seen, *ran])


@pytest.mark.parametrize("name", HEADERS)
def test_headers_of_the_toolkit(arch: str, name: str, tmp_path: Path, artefact: Publish) -> None:
    """Half, bfloat16 and 8-bit floats, cooperative groups, tensor cores, the tensor memory accelerator."""
    source, product = HEADERS[name], tmp_path / f"{name}.cubin"
    nvcc.compile_cuda(source.path, "cubin", arch, path_target=product)
    made = compiled("nvcc.compile_cuda", f"NVRTC {_RELEASE} with the headers of {name}")
    # One arch that has all of it is disassembled: that takes longer than the compile.
    code = [cuda.instructions(product, source, arch)] if arch == "sm_90a" else []
    shown = [made, *cuda.metadata(product, source, arch), *code]
    artefact(f"{arch}/{name}-nvrtc.cubin", product, target=TARGET, arch=arch, evidence=shown)


def test_headers_of_the_host(arch: str) -> None:
    """stdint.h, stdio.h, assert.h, math.h, string.h, type_traits and cuda.h, which NVRTC does not have."""
    source = Path("tests/matrix/data/cuda/host_headers.cu")
    text = nvcc.compile_cuda(source, "ptx", arch).decode()
    assert ".entry host_headers(" in text
    assert "vprintf" in text
    assert "__assertfail" in text


def test_fatbin_of_all_archs(archs: list[str], tmp_path: Path, artefact: Publish) -> None:
    source, product = KERNELS["softmax"], tmp_path / "softmax.fatbin"
    nvcc.compile_cuda(source.path, "fatbin", archs, path_target=product)
    held = disassembly.members(product)
    assert {(arch, "cubin") for arch in archs} <= held
    listed = ", ".join(f"{arch}.{kind}" for arch, kind in sorted(held))
    shown = [compiled("nvcc.compile_cuda", f"NVRTC {_RELEASE}, then nvfatbin"), inspected("cuobjdump", listed)]
    artefact("softmax-nvrtc-all.fatbin", product, target=TARGET, arch=archs[-1], evidence=shown)


@pytest.mark.parametrize(
    ("spelled", "form", "expected"),
    [
        ("compute_90a", "cubin", "sm_90a"),
        ("90a", "cubin", "sm_90a"),
        ("sm_90a", "ptx", "sm_90a"),
        # What runs on a whole family says so in a note only, to which no tool gives a name.
        ("sm_100f", "cubin", "sm_100"),
        (["sm_120a"], "cubin", "sm_120a"),
    ],
)
def test_arch_is_spelled_as_the_format_needs_it(
    spelled: str | list[str], form: Format, expected: str, tmp_path: Path
) -> None:
    product = tmp_path / f"f{SUFFIX[form]}"
    nvcc.compile_cuda(_EXP, form, spelled, path_target=product)
    if form == "ptx":
        assert f"\n.target {expected}\n" in product.read_text(encoding="utf-8")
    else:
        assert disassembly.members(product) == {(expected, "cubin")}


def test_an_arch_that_nvrtc_refuses(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match="gpu-architecture"):
        nvcc.compile_cuda(_EXP, "cubin", "sm_30", path_target=tmp_path / "f.cubin")
    assert list(tmp_path.iterdir()) == []


def test_error_has_the_users_file_and_line(tmp_path: Path) -> None:
    source, product = tmp_path / "wrong.cu", tmp_path / "wrong.cubin"
    source.write_text(
        f"#include <cuda_fp16.h>\n#include <stdint.h>\n{_EXP}\nuint64_t wrong = unknown_name;\n", encoding="utf-8"
    )
    with pytest.raises(CompileError, match=r'wrong\.cu\(4\): error: .*"unknown_name"') as error:
        nvcc.compile_cuda(source, "cubin", "sm_90a", path_target=product)
    assert "\0" not in str(error.value)
    assert not product.exists()


def test_an_error_comes_before_any_warning_of_the_toolkit_s_headers() -> None:
    text = "#include <cuda_fp8.h>\n#include <cuda_bf16.h>\n__nv_fp8_e4m3 wrong = unknown_name;"
    with pytest.raises(CompileError) as error:
        nvcc.compile_cuda(text, "ptx", "sm_90a")
    assert error.value.output.startswith("tvm_kernels.cu(3): error: ")


def test_error_in_text_has_its_line_and_what_a_line_directive_says() -> None:
    with pytest.raises(CompileError, match=r"tvm_kernels\.cu\(1\): error"):
        nvcc.compile_cuda("uint32_t wrong = unknown_name;", "ptx", "sm_90a")
    with pytest.raises(CompileError, match=r"mine\.py\(70\): error"):
        nvcc.compile_cuda('#line 70 "mine.py"\nuint32_t wrong = unknown_name;', "ptx", "sm_90a")


def test_error_of_the_assembler_is_shown() -> None:
    with pytest.raises(CompileError, match=r"ptxas .*no_such_instruction"):
        nvcc.compile_cuda('extern "C" __global__ void f() { asm("no_such_instruction;"); }', "cubin", "sm_90a")


def test_options_reach_nvrtc_and_those_of_nvcc_are_left_out(caplog: pytest.LogCaptureFixture) -> None:
    options = ["-Xptxas", "-v", "-o", "elsewhere", "-Xcompiler", "-fPIC", "--std=c++20", "-DBASE=3"]
    code = 'static_assert(__cplusplus >= 202002L && BASE == 3); extern "C" __global__ void f(float *x) { x[0] = BASE; }'
    with caplog.at_level(logging.INFO, "tvm.support.nvcc"):
        nvcc.compile_cuda(code, "cubin", "sm_90a", options)
    assert "registers" in caplog.text
    assert not Path("elsewhere").exists()


def test_registers_are_limited_by_an_option(tmp_path: Path) -> None:
    """More values than registers: the rest is spilled."""
    lines = "".join(f"float v{n} = x[{n} * 32 + threadIdx.x]; " for n in range(64))
    total = " + ".join(f"v{n} * v{(n * 7 + 1) % 64}" for n in range(64))
    code = f'extern "C" __global__ void f(float *x) {{ {lines} __syncthreads(); x[threadIdx.x] = {total}; }}'
    product = tmp_path / "f.cubin"
    nvcc.compile_cuda(code, "cubin", "sm_90a", "--maxrregcount=24", path_target=product)
    assert disassembly.usage(product)["f"].registers <= 24
    assert disassembly.count(disassembly.operations(product, "f"), "STL") > 0


def test_fast_math_is_the_default_of_a_call_and_can_be_turned_off(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "div.approx.ftz" in _ptx()
    assert "div.approx.ftz" not in _ptx(fast_math=False)
    monkeypatch.setenv("TVM_CUDA_NVCC_NO_FAST_MATH", "1")
    assert "div.approx.ftz" not in _ptx()
    assert "div.approx.ftz" in _ptx(fast_math=True)
    monkeypatch.setenv("TVM_CUDA_NVCC_NO_FAST_MATH", "0")
    assert "div.approx.ftz" in _ptx()


def test_source_and_product_are_dumped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_KERNEL_DUMP", str(tmp_path / "dump"))
    data = nvcc.compile_cuda(_EXP, "ptx", "sm_90a", compiler="nvrtc")
    cuda.require_dumped(tmp_path / "dump", _EXP, data)


def test_a_debug_build_has_debug_information(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_KERNEL_DEBUG", "1")
    product = tmp_path / "f.cubin"
    nvcc.compile_cuda(_EXP, "cubin", "sm_90a", path_target=product, compiler="nvrtc")
    assert b".debug_info" in product.read_bytes()


def test_two_compiles_give_the_same_bytes_wherever_they_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = KERNELS["matmul_mma"].path.absolute()
    first = nvcc.compile_cuda(source, "cubin", "sm_90a", "-lineinfo")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert nvcc.compile_cuda(source, "cubin", "sm_90a", "-lineinfo") == first


def test_global_functions_are_registered() -> None:
    names = ("tvm_callback_cuda_compile", "tvm_callback_libdevice_path", "tvm.support.nvcc.get_compute_version")
    for name in (*names, *(f"tvm.support.nvcc.supports_{kind}" for kind in ("bf16", "fp8", "fp4"))):
        assert tvm_ffi.get_global_func(name, allow_missing=True) is not None, name
    assert nvcc.tvm_callback_cuda_compile.__name__ == "tvm_callback_cuda_compile"


def test_a_wrong_argument_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="sass"):
        nvcc.compile_cuda(_EXP, "sass", "sm_90a")
    with pytest.raises(TVMError, match="sm_x"):
        nvcc.compile_cuda(_EXP, "cubin", "sm_x")


def _ptx(*, fast_math: bool | None = None) -> str:
    return nvcc.compile_cuda(_EXP, "ptx", "sm_90a", fast_math=fast_math).decode()
