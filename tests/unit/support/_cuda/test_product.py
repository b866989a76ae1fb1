from pathlib import Path

import pytest

from tests.unit.support._cuda.fakes import CUBIN, FATBIN, PTX, Nvfatbin, Nvjitlink, Nvrtc
from tests.unit.support._cuda.jobs import KERNEL, make
from tvm.error import CompileError, TVMError
from tvm.support._cuda import product
from tvm.support._cuda.errors import CudaArgumentError


def test_a_cubin_is_compiled_for_the_real_arch(nvrtc: Nvrtc) -> None:
    assert product.make(make(KERNEL, "cubin", "compute_90a"), "nvrtc") == CUBIN
    assert nvrtc.calls[0].options[0] == "--gpu-architecture=sm_90a"


def test_ptx_is_compiled_for_the_virtual_arch(nvrtc: Nvrtc) -> None:
    assert product.make(make(KERNEL, "ptx", "sm_90a"), "nvrtc") == PTX
    assert nvrtc.calls[0].options[0] == "--gpu-architecture=compute_90a"


def test_a_fatbin_holds_what_each_name_stands_for(nvrtc: Nvrtc, nvfatbin: Nvfatbin) -> None:
    job = make(KERNEL, "fatbin", ["sm_80", "compute_90", "-gencode", "arch=compute_100a,code=sm_100a"])

    assert product.make(job, "nvrtc") == FATBIN
    assert [call.options[0].partition("=")[2] for call in nvrtc.calls] == ["sm_80", "compute_90", "sm_100a"]
    assert nvfatbin.added == [("cubin", "80", CUBIN), ("ptx", "80", PTX), ("ptx", "90", PTX), ("cubin", "100a", CUBIN)]


def test_an_empty_product_is_an_error(nvrtc: Nvrtc) -> None:
    nvrtc.cubin = b""

    with pytest.raises(TVMError, match="nvrtc ended without an error, but its cubin is empty"):
        product.make(make(), "nvrtc")


def test_the_source_is_dumped_although_it_fails(nvrtc: Nvrtc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_KERNEL_DUMP", str(tmp_path / "dump"))
    nvrtc.code = 6

    with pytest.raises(CompileError):
        product.make(make(), "nvrtc")

    assert [file.suffix for file in (tmp_path / "dump").iterdir()] == [".cu"]


def test_the_format_is_what_was_asked_for_although_it_is_dumped(
    nvrtc: Nvrtc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TVM_KERNEL_DUMP", str(tmp_path / "dump"))

    assert product.make(make(KERNEL, "ptx"), "nvrtc") == PTX
    assert "-lineinfo" in nvrtc.calls[0].options
    assert sorted(file.suffix for file in (tmp_path / "dump").iterdir()) == [".cu", ".ptx"]


def test_linking_names_objects_by_their_order(nvjitlink: Nvjitlink) -> None:
    assert product.link([b"a", bytearray(b"b")], "sm_90a", [], "nvrtc", None) == CUBIN
    assert nvjitlink.added == [("cubin", "object0.cubin", b"a"), ("cubin", "object1.cubin", b"b")]


@pytest.mark.parametrize("name", ["nvrtc", "nvcc"])
def test_a_compiler_is_one_of_two(name: str) -> None:
    assert product.checked_compiler(name) == name


def test_another_compiler_is_an_error_that_names_it() -> None:
    with pytest.raises(CudaArgumentError, match="compiler is 'clang'"):
        product.checked_compiler("clang")
