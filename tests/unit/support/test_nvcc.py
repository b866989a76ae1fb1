import inspect
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import tvm_ffi

from tests.unit.stand_in import MakeStandIn
from tests.unit.support._cuda import fakes
from tests.unit.support._cuda.fakes import CUBIN, FATBIN, PTX, Nvfatbin, Nvjitlink, Nvrtc, headers, toolkit, touch
from tvm.error import CompileError, ToolNotFound, TVMError
from tvm.support import nvcc
from tvm.support._cache import memo

pytestmark = pytest.mark.usefixtures("machine")

_KERNEL = 'extern "C" __global__ void k(float *x) { x[0] = 1.0f; }\n'
_NVSHMEM = "#include <nvshmem.h>\n"
_CONTEXT = "transform.GetCurrentPassContext"
_GLOBALS = {
    "tvm_callback_cuda_compile": nvcc.tvm_callback_cuda_compile,
    "tvm_callback_libdevice_path": nvcc.find_libdevice_path,
    "tvm.support.nvcc.get_compute_version": nvcc.get_target_compute_version,
    "tvm.support.nvcc.supports_bf16": nvcc.have_bf16,
    "tvm.support.nvcc.supports_fp8": nvcc.have_fp8,
    "tvm.support.nvcc.supports_fp4": nvcc.have_fp4,
}


@pytest.fixture
def fast_math_asked_for() -> Iterator[None]:
    """Put a pass context in force that asks for fast math."""
    config = {"tirx.enable_fast_math": True}
    tvm_ffi.register_global_func(_CONTEXT, lambda: SimpleNamespace(config=config), override=True)
    yield
    tvm_ffi.remove_global_func(_CONTEXT)


@pytest.fixture
def programs(machine: Path, bin_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the stand-ins on PATH the programs of the one toolkit."""
    headers(machine / "toolkit/include")
    (machine / "toolkit/bin").symlink_to(bin_folder)
    monkeypatch.setenv("CUDA_PATH", str(machine / "toolkit"))


class TestCompile:
    def test_nvrtc_makes_a_cubin_unless_told_otherwise(self, nvrtc: Nvrtc) -> None:
        assert nvcc.compile_cuda(_KERNEL, arch="sm_90a") == bytearray(CUBIN)
        assert nvcc.compile_cuda(_KERNEL, "ptx", "sm_90a") == PTX
        assert len(nvrtc.calls) == 2

    @pytest.mark.usefixtures("programs")
    def test_nvcc_makes_ptx_unless_told_otherwise(self, stand_in: MakeStandIn) -> None:
        tool = stand_in("nvcc")

        nvcc.compile_cuda(_KERNEL, arch="sm_90a", compiler="nvcc")

        assert tool.calls[0][0] == "--ptx"

    def test_the_product_is_written_too(self, nvrtc: Nvrtc, tmp_path: Path) -> None:
        assert nvcc.compile_cuda(_KERNEL, arch="sm_90a", path_target=tmp_path / "k.cubin") == CUBIN
        assert (tmp_path / "k.cubin").read_bytes() == CUBIN
        assert len(nvrtc.calls) == 1

    def test_a_failure_leaves_an_earlier_product_as_it_was(self, nvrtc: Nvrtc, tmp_path: Path) -> None:
        nvrtc.code = 6
        touch(tmp_path / "k.cubin", "old")

        with pytest.raises(CompileError):
            nvcc.compile_cuda(_KERNEL, arch="sm_90a", path_target=tmp_path / "k.cubin")

        assert (tmp_path / "k.cubin").read_text(encoding="ascii") == "old"

    def test_fast_math_is_on_unless_told_otherwise(self, nvrtc: Nvrtc, monkeypatch: pytest.MonkeyPatch) -> None:
        nvcc.compile_cuda(_KERNEL, arch="sm_90a")
        nvcc.compile_cuda(_KERNEL, arch="sm_90a", fast_math=False)
        monkeypatch.setenv("TVM_CUDA_NVCC_NO_FAST_MATH", "1")
        nvcc.compile_cuda(_KERNEL, arch="sm_90a")
        nvcc.compile_cuda(_KERNEL, arch="sm_90a", fast_math=True)

        assert ["--use_fast_math" in call.options for call in nvrtc.calls] == [True, False, False, True]

    def test_nvrtc_minds_every_switch_of_nvcc(
        self, nvrtc: Nvrtc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """In the seed NVRTC, which is the default, minds none."""
        monkeypatch.setenv("TVM_KERNEL_DEBUG", "1")
        monkeypatch.setenv("TVM_KERNEL_DUMP", str(tmp_path / "dump"))
        monkeypatch.setenv("TVM_CUDA_NVCC_NO_FAST_MATH", "1")
        nvcc.compile_cuda(_KERNEL, "ptx", "sm_90a")

        options = nvrtc.calls[0].options
        assert "-G" in options
        assert "--use_fast_math" not in options
        assert sorted(file.suffix for file in (tmp_path / "dump").iterdir()) == [".cu", ".ptx"]

    def test_the_pass_option_names_nvrtc_s_folder_too(self, nvrtc: Nvrtc, tmp_path: Path) -> None:
        config = {"cuda.kernels_output_dir": str(tmp_path / "dump")}
        tvm_ffi.register_global_func(_CONTEXT, lambda: SimpleNamespace(config=config), override=True)
        try:
            nvcc.compile_cuda(_KERNEL, arch="sm_90a")
        finally:
            tvm_ffi.remove_global_func(_CONTEXT)

        assert "-lineinfo" in nvrtc.calls[0].options
        assert sorted(file.suffix for file in (tmp_path / "dump").iterdir()) == [".cu", ".cubin"]

    def test_an_arch_may_stand_in_the_options(self, nvrtc: Nvrtc) -> None:
        nvcc.compile_cuda(_KERNEL, options=["-lineinfo", "-arch", "sm_80"])

        options = nvrtc.calls[0].options
        assert options[0] == "--gpu-architecture=sm_80"
        assert "-lineinfo" in options
        assert "-arch" not in options

    def test_no_arch_is_an_error_that_says_what_to_pass(self, nvrtc: Nvrtc) -> None:
        with pytest.raises(ValueError, match="no CUDA architecture"):
            nvcc.compile_cuda(_KERNEL)

        assert nvrtc.calls == []

    def test_with_an_arch_nobody_asks_for_another(self, nvrtc: Nvrtc) -> None:
        """The seed looks for a GPU all the same, and fails where there is none."""
        assert nvcc.compile_cuda(_KERNEL, arch="sm_80") == CUBIN
        assert nvrtc.calls[0].options[0] == "--gpu-architecture=sm_80"

    def test_a_fatbin_for_several_archs(self, nvrtc: Nvrtc, nvfatbin: Nvfatbin) -> None:
        assert nvcc.compile_cuda(_KERNEL, "fatbin", ["sm_80", "sm_90a"]) == FATBIN
        assert len(nvrtc.calls) == 2
        assert nvfatbin.destroyed == 1

    @pytest.mark.parametrize(
        ("given", "text"),
        [
            ({"compiler": "clang"}, "compiler is 'clang'"),
            ({"target_format": "elf"}, "target_format is 'elf'"),
            ({"arch": "gfx90a"}, "no CUDA architecture: 'gfx90a'"),
            ({"options": 3}, "options must be str or list of str"),
            ({"arch": ["sm_80", "sm_90"]}, "one architecture"),
        ],
    )
    def test_a_wrong_argument_is_an_error_before_anything_is_written(
        self, given: dict[str, object], text: str, nvrtc: Nvrtc, tmp_path: Path
    ) -> None:
        words: dict[str, object] = {"arch": "sm_90", "path_target": tmp_path / "x"} | given
        with pytest.raises(ValueError, match=text):
            nvcc.compile_cuda(_KERNEL, **words)  # type: ignore[arg-type]  # the wrong type is the point

        assert not (tmp_path / "x").exists()
        assert nvrtc.calls == []

    def test_nvshmem_is_linked_by_nvjitlink(
        self, nvrtc: Nvrtc, nvjitlink: Nvjitlink, machine: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        root = fakes.nvshmem(machine / "nvshmem", fakes.fat_archive([90]))
        monkeypatch.setenv("NVSHMEM_HOME", str(root))

        assert nvcc.compile_cuda(_NVSHMEM, arch="sm_90a") == CUBIN
        assert [name for _, name, _ in nvjitlink.added] == ["tvm_kernels.cubin", "libnvshmem_device.a"]
        assert len(nvrtc.calls) == 1


class TestLink:
    def test_by_nvjitlink(self, nvjitlink: Nvjitlink, tmp_path: Path) -> None:
        library = touch(tmp_path / "libx.a", "x")

        made = nvcc.link_cuda([b"a"], "compute_90a", libraries=[library], path_target=tmp_path / "k.cubin")

        assert made == CUBIN
        assert (tmp_path / "k.cubin").read_bytes() == CUBIN
        assert nvjitlink.options == ["-arch=sm_90a"]

    @pytest.mark.usefixtures("programs")
    def test_by_nvlink(self, stand_in: MakeStandIn) -> None:
        tool = stand_in("nvlink")

        assert nvcc.link_cuda([b"a"], "sm_90a", compiler="nvcc").startswith(b'["nvlink"')
        assert tool.calls[0][0] == "-arch=sm_90a"


class TestCallback:
    def test_it_makes_a_cubin_by_nvrtc_without_fast_math(self, nvrtc: Nvrtc) -> None:
        assert nvcc.tvm_callback_cuda_compile(_KERNEL, "sm_90a") == CUBIN
        assert "--use_fast_math" not in nvrtc.calls[0].options

    @pytest.mark.usefixtures("fast_math_asked_for")
    def test_fast_math_is_what_the_pass_context_asks_for(self, nvrtc: Nvrtc, monkeypatch: pytest.MonkeyPatch) -> None:
        nvcc.tvm_callback_cuda_compile(_KERNEL, "sm_90a")
        monkeypatch.setenv("TVM_CUDA_NVCC_NO_FAST_MATH", "1")
        nvcc.tvm_callback_cuda_compile(_KERNEL, "sm_90a")

        assert ["--use_fast_math" in call.options for call in nvrtc.calls] == [True, False]

    @pytest.mark.usefixtures("programs")
    def test_by_nvcc_it_makes_a_fatbin(self, stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch) -> None:
        tool = stand_in("nvcc")
        monkeypatch.setenv("TVM_CUDA_COMPILE_MODE", "NVCC")

        nvcc.tvm_callback_cuda_compile(_KERNEL, SimpleNamespace(arch="sm_90a"))

        assert tool.calls[0][0] == "--fatbin"
        assert "--use_fast_math" not in tool.calls[0]

    @pytest.mark.usefixtures("programs")
    def test_with_nvshmem_it_makes_a_cubin_by_either(
        self, stand_in: MakeStandIn, machine: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        root = fakes.nvshmem(machine / "nvshmem", fakes.fat_archive([90]))
        monkeypatch.setenv("NVSHMEM_HOME", str(root))
        monkeypatch.setenv("TVM_CUDA_COMPILE_MODE", "nvcc")
        tool, linker = stand_in("nvcc"), stand_in("nvlink")

        nvcc.tvm_callback_cuda_compile(_NVSHMEM, "sm_90a")

        assert tool.calls[0][0] == "--cubin"
        assert len(linker.calls) == 1

    @pytest.mark.parametrize("target", [(SimpleNamespace(arch="sm_100"),), ()])
    def test_by_its_name_it_takes_a_target_or_none(self, target: tuple[object, ...], nvrtc: Nvrtc) -> None:
        """In the seed callers with one argument and with two cannot both be served."""
        call = tvm_ffi.get_global_func("tvm_callback_cuda_compile")

        if target:
            assert call(_KERNEL, {"arch": "sm_100"}) == CUBIN
        else:
            with pytest.raises(ValueError, match="no CUDA architecture"):
                call(_KERNEL)
        assert len(nvrtc.calls) == len(target)

    def test_without_a_target_it_says_what_is_missing(self) -> None:
        with pytest.raises(ValueError, match="no CUDA architecture"):
            nvcc.tvm_callback_cuda_compile(_KERNEL)


class TestRegistered:
    @pytest.mark.parametrize(("name", "function"), sorted(_GLOBALS.items()))
    def test_functions_are_registered_and_stay_python_functions(
        self, name: str, function: Callable[..., object]
    ) -> None:
        assert tvm_ffi.get_global_func(name, allow_missing=True) is not None
        assert inspect.isfunction(function)
        assert function.__doc__

    def test_they_are_called_by_name(self, nvrtc: Nvrtc, machine: Path) -> None:
        root = toolkit(machine / "usr/local/cuda")

        assert tvm_ffi.get_global_func("tvm_callback_cuda_compile")(_KERNEL, "sm_90a") == CUBIN
        assert tvm_ffi.get_global_func("tvm.support.nvcc.get_compute_version")("sm_90a") == "9.0.a"
        assert tvm_ffi.get_global_func("tvm_callback_libdevice_path")(80) == f"{root}/nvvm/libdevice/libdevice.10.bc"
        assert tvm_ffi.get_global_func("tvm.support.nvcc.supports_fp8")("8.9") is True
        assert len(nvrtc.calls) == 1


class TestPaths:
    def test_paths_are_text(self, machine: Path) -> None:
        root = fakes.nvshmem(toolkit(machine / "usr/local/cuda"))

        assert nvcc.find_cuda_path() == str(root)
        assert nvcc.find_libdevice_path(arch=80) == str(root / "nvvm/libdevice/libdevice.10.bc")
        assert nvcc.find_nvshmem_paths() == (str(root / "include"), str(root / "lib"))
        assert nvcc.get_cuda_version() == nvcc.get_cuda_version(str(root)) == (12, 9)

    def test_no_libdevice_is_an_error_or_a_warning(self) -> None:
        with pytest.raises(ToolNotFound, match="cannot find libdevice"):
            nvcc.find_libdevice_path(80)
        with pytest.warns(UserWarning, match="cannot find libdevice"):
            assert nvcc.callback_libdevice_path(80) == ""

    def test_libdevice_for_the_callback(self, machine: Path) -> None:
        root = toolkit(machine / "usr/local/cuda")

        assert nvcc.callback_libdevice_path(80) == str(root / "nvvm/libdevice/libdevice.10.bc")

    @pytest.mark.parametrize(("version", "expected"), [(9020, False), (10000, True), (13000, True)])
    def test_graphs_came_with_cuda_10(self, version: int, expected: bool, machine: Path) -> None:  # noqa: FBT001 - a row of a table
        toolkit(machine / "usr/local/cuda", version)

        assert nvcc.have_cudagraph() is expected

    def test_without_cuda_there_are_no_graphs(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert nvcc.have_cudagraph() is False
        monkeypatch.setenv("CUDA_PATH", "/bogus")
        assert nvcc.have_cudagraph() is False


class TestCapabilities:
    @pytest.mark.parametrize(
        ("version", "expected"),
        [
            ("5.2", ""),
            ("5.3", "fp16"),
            ("6.0", "fp16"),
            ("6.1", "fp16 int8"),
            ("7.0", "fp16 int8 tensorcore"),
            ("7.5", "fp16 int8 tensorcore"),
            ("8.0", "fp16 int8 tensorcore bf16"),
            ("8.6", "fp16 int8 tensorcore bf16"),
            ("8.9", "fp16 int8 tensorcore bf16 fp8"),
            ("9.0", "fp16 int8 tensorcore bf16 fp8"),
            ("9.0.a", "fp16 int8 tensorcore bf16 fp8"),
            ("10.0", "fp16 int8 tensorcore bf16 fp8 fp4"),
            ("10.0.a", "fp16 int8 tensorcore bf16 fp8 fp4"),
            ("10.3", "fp16 int8 tensorcore bf16 fp8 fp4"),
            ("11.0", "fp16 int8 tensorcore bf16 fp8 fp4"),
            ("12.0", "fp16 int8 tensorcore bf16 fp8 fp4"),
            ("12.1", "fp16 int8 tensorcore bf16 fp8 fp4"),
        ],
    )
    def test_table(self, version: str, expected: str) -> None:
        functions: dict[str, Callable[[object], bool]] = {
            "fp16": nvcc.have_fp16,
            "int8": nvcc.have_int8,
            "tensorcore": nvcc.have_tensorcore,
            "bf16": nvcc.have_bf16,
            "fp8": nvcc.have_fp8,
            "fp4": nvcc.have_fp4,
        }

        assert [name for name, have in functions.items() if have(version)] == expected.split()

    def test_tensor_cores_of_a_target(self) -> None:
        """In the seed an arch such as sm_90a or sm_100 raises."""
        assert nvcc.have_tensorcore(target=SimpleNamespace(attrs={"arch": "sm_90a"}))
        assert nvcc.have_tensorcore(target="sm_100")
        assert not nvcc.have_tensorcore("6.1", target="sm_90")

    @pytest.mark.parametrize("target", [None, SimpleNamespace(attrs={})])
    def test_without_a_version_tensor_cores_are_taken_as_absent(self, target: object) -> None:
        with pytest.warns(UserWarning, match="taken as absent"):
            assert not nvcc.have_tensorcore(target=target)

    def test_versions_are_parsed(self) -> None:
        assert nvcc.parse_compute_version("9.0.a") == nvcc.parse_compute_version(compute_version="9.0") == (9, 0)
        with pytest.raises(TVMError, match="compute version parsing error"):
            nvcc.parse_compute_version("nine")

    @pytest.mark.parametrize(
        ("arch", "expected"),
        [("sm_100", "10.0"), ("sm_90a", "9.0.a"), ("sm_120", "12.0"), ("sm_120f", "12.0.f"), ("sm_75", "7.5")],
    )
    def test_a_target_has_the_version_of_its_arch_and_no_more(self, arch: str, expected: str) -> None:
        assert nvcc.get_target_compute_version(target=arch) == expected


class TestCompileCache:
    @pytest.fixture(autouse=True)
    def _on(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("TVM_COMPILE_CACHE", "on")
        monkeypatch.setenv("TVM_COMPILE_CACHE_DIR", str(tmp_path / "compile-cache"))
        monkeypatch.setattr("tvm.support._cache.states.SETTLED", -(10**10))
        memo.forget()

    def test_a_kernel_is_compiled_once(self, nvrtc: Nvrtc) -> None:
        assert (
            nvcc.compile_cuda(_KERNEL, arch="sm_90a") == nvcc.compile_cuda(_KERNEL, arch="sm_90a") == bytearray(CUBIN)
        )
        assert len(nvrtc.calls) == 1

    def test_another_arch_or_format_or_text_is_another_product(self, nvrtc: Nvrtc) -> None:
        nvcc.compile_cuda(_KERNEL, arch="sm_90a")
        nvcc.compile_cuda(_KERNEL, arch="sm_80")
        nvcc.compile_cuda(_KERNEL, "ptx", arch="sm_90a")
        nvcc.compile_cuda(f"{_KERNEL}\n", arch="sm_90a")
        nvcc.compile_cuda(_KERNEL, arch="sm_90a", fast_math=False)

        assert len(nvrtc.calls) == 5

    def test_a_header_beside_the_source_counts(self, nvrtc: Nvrtc, tmp_path: Path) -> None:
        (tmp_path / "k.cu").write_text(f'#include "mine.h"\n{_KERNEL}', encoding="ascii")
        for text in ("one", "one", "another"):
            (tmp_path / "mine.h").write_text(text, encoding="ascii")
            nvcc.compile_cuda(tmp_path / "k.cu", arch="sm_90a")

        assert len(nvrtc.calls) == 2

    def test_a_library_that_was_replaced_compiles_again(
        self, nvrtc: Nvrtc, libraries: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        nvcc.compile_cuda(_KERNEL, arch="sm_90a")
        other = libraries / "other" / "libnvrtc.so"
        touch(other)
        loaded = SimpleNamespace(load_nvidia_dynamic_lib=lambda _name: SimpleNamespace(abs_path=str(other)))
        monkeypatch.setitem(sys.modules, "cuda.pathfinder", loaded)
        nvcc.compile_cuda(_KERNEL, arch="sm_90a")

        assert len(nvrtc.calls) == 2

    def test_off_a_poisoned_store_changes_no_product(self, nvrtc: Nvrtc, monkeypatch: pytest.MonkeyPatch) -> None:
        nvrtc.cubin = b"\x7fELF poison"
        assert nvcc.compile_cuda(_KERNEL, arch="sm_90a") == b"\x7fELF poison"
        nvrtc.cubin = CUBIN
        assert nvcc.compile_cuda(_KERNEL, arch="sm_90a") == b"\x7fELF poison"
        monkeypatch.setenv("TVM_COMPILE_CACHE", "off")

        assert nvcc.compile_cuda(_KERNEL, arch="sm_90a") == CUBIN

    def test_a_failure_is_not_kept(self, nvrtc: Nvrtc) -> None:
        nvrtc.code = 6
        for _ in range(2):
            with pytest.raises(CompileError):
                nvcc.compile_cuda(_KERNEL, arch="sm_90a")

        assert len(nvrtc.calls) == 2

    def test_linked_cubins_come_from_the_cache(self, nvjitlink: Nvjitlink) -> None:
        for data in (b"one", b"one", b"two"):
            nvcc.link_cuda([data], "sm_90a")

        assert [added[2] for added in nvjitlink.added] == [b"one", b"two"]
