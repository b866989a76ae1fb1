from pathlib import Path

import pytest

from tests.unit.support._cuda.fakes import CUBIN, PTX, Nvrtc, headers, toolkit
from tests.unit.support._cuda.jobs import KERNEL, make
from tvm.error import CompileError, ToolNotFound, TVMError
from tvm.support import record
from tvm.support._cuda import host_headers
from tvm.support._cuda import nvrtc as tool
from tvm.support._cuda.job import Job


def _compile(job: Job, arch: str = "sm_90a") -> dict[str, bytes]:
    return tool.compile_program(job, arch, products=("cubin",))


def test_a_plain_kernel_is_compiled_as_it_is(nvrtc: Nvrtc) -> None:
    """Nothing in front of it, no header beside it, no folder searched."""
    assert _compile(make()) == {"cubin": CUBIN}

    (call,) = nvrtc.calls
    assert (call.code, call.headers) == (KERNEL, {})
    assert call.options[:3] == ["--gpu-architecture=sm_90a", "-default-device", "--device-int128"]
    assert not any(word.startswith(("-I", "--pre-include")) for word in call.options)
    assert call.destroyed


def test_the_name_is_absolute_so_that_no_folder_shows_in_the_product(nvrtc: Nvrtc) -> None:
    _compile(make())

    assert nvrtc.calls[0].name == "/tvm/tvm_kernels.cu"


def test_ptx_comes_without_the_zero_at_its_end(nvrtc: Nvrtc) -> None:
    assert nvrtc.calls == []
    assert tool.compile_program(make(), "compute_90a", products=("ptx", "cubin")) == {"ptx": PTX, "cubin": CUBIN}


def test_options_come_in_an_order_in_which_the_callers_win(
    nvrtc: Nvrtc, machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = toolkit(machine / "usr/local/cuda")
    monkeypatch.setenv("TVM_CUDA_NVRTC_EXTRA_OPTS", "--extra")

    _compile(make("#include <cuda_fp16.h>\n", options=["-Imine", "-O3", "-o", "x"], fast_math=True))

    options = nvrtc.calls[0].options
    assert options[-3:] == ["--extra", "-Imine", f"-I{root / 'include'}"]
    assert "--use_fast_math" in options


def test_what_the_source_lacks_is_included_before_its_first_line(nvrtc: Nvrtc) -> None:
    """The source itself stays as it is, and so do its line numbers."""
    _compile(make("uint8_t x;\n"))

    (call,) = nvrtc.calls
    assert call.code == "uint8_t x;\n"
    assert f"--pre-include={host_headers.PRELUDE}" in call.options
    assert list(call.headers) == [host_headers.PRELUDE]


def test_the_folder_of_a_source_is_searched(nvrtc: Nvrtc, tmp_path: Path) -> None:
    file = tmp_path / "my.cu"
    file.write_text('#include "mine.h"\n', encoding="utf-8")

    _compile(make(file))

    assert nvrtc.calls[0].options[-1] == f"-I{tmp_path}"
    assert nvrtc.calls[0].name == "/tvm/my.cu"


def test_headers_of_another_major_version_are_not_used(nvrtc: Nvrtc, machine: Path) -> None:
    toolkit(machine / "usr/local/cuda", 13000)

    _compile(make("#include <cuda_fp16.h>\n"))

    assert not any(word.startswith("-I") for word in nvrtc.calls[0].options)


def test_an_error_has_the_users_name_and_the_log(nvrtc: Nvrtc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my.cu").write_text(KERNEL, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    nvrtc.code, nvrtc.log = 6, "/tvm/my.cu(1): error: no"

    with pytest.raises(CompileError) as caught:
        _compile(make(Path("my.cu")))

    assert caught.value.output == "my.cu(1): error: no"
    assert caught.value.command[:2] == ("nvrtc", "--gpu-architecture=sm_90a")
    assert caught.value.code == 6
    assert caught.value.fix == ""
    assert nvrtc.calls[0].destroyed


def test_an_error_without_headers_says_where_they_were_sought(nvrtc: Nvrtc) -> None:
    nvrtc.code = 6

    with pytest.raises(CompileError) as caught:
        _compile(make("#include <cuda_fp16.h>\n"))

    assert "no headers of CUDA 12 were found (CUDA_PATH (not set)" in caught.value.fix
    assert nvrtc.calls[0].destroyed


def test_a_failing_call_of_the_library_is_an_error(nvrtc: Nvrtc) -> None:
    nvrtc.create = 3

    with pytest.raises(TVMError, match="NVRTC failed: 3"):
        _compile(make())


@pytest.mark.usefixtures("machine")
def test_without_the_bindings_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "cuda.bindings.nvrtc", None)

    with pytest.raises(ToolNotFound, match=r"cannot import cuda\.bindings\.nvrtc") as caught:
        _compile(make())

    assert "pip install 'tvm-matrix[cuda]'" in caught.value.fix


def test_without_the_library_the_error_says_what_to_install(nvrtc: Nvrtc, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        msg = f"no lib{name}"
        raise RuntimeError(msg)

    monkeypatch.setattr("sys.modules", __import__("sys").modules | {})
    monkeypatch.setattr(__import__("sys").modules["cuda.pathfinder"], "load_nvidia_dynamic_lib", missing)

    with pytest.raises(ToolNotFound, match="no libnvrtc"):
        _compile(make())

    assert nvrtc.calls == []


def test_for_nvshmem_it_makes_relocatable_code_with_long_integers(nvrtc: Nvrtc, machine: Path) -> None:
    folder = headers(machine / "usr/local/cuda/include")
    (folder / "cuda_pipeline_helpers.h").write_text("typedef unsigned long long uint64_t;\n", encoding="utf-8")

    tool.compile_program(make("#include <nvshmem.h>\n"), "sm_90a", products=("cubin",), nvshmem=True)

    (call,) = nvrtc.calls
    assert "--relocatable-device-code=true" in call.options
    assert call.headers["cuda_pipeline_helpers.h"] == "typedef unsigned long uint64_t;\n"


def test_the_call_is_recorded_as_one_of_a_library(nvrtc: Nvrtc, libraries: Path) -> None:
    calls: list[record.ToolCall] = []

    with record.recording(calls.append):
        _compile(make("uint8_t x;\n"))

    (call,) = calls
    assert (call.kind, call.exit) == ("library", 0)
    assert call.argv == tuple(nvrtc.calls[0].options)
    assert (call.tool.path, call.tool.version) == (str(libraries / "libnvrtc.so"), "12.9")
    assert [file.path for file in call.inputs] == ["tvm_kernels.cu", host_headers.PRELUDE]
    assert [file.path for file in call.outputs] == ["cubin"]
