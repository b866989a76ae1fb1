import json
import sys
from pathlib import Path

import pytest

import tvm
import tvm.support
from tests.unit.stand_in import MakeStandIn
from tests.unit.support._cuda.fakes import toolkit

# The seed's.
NAMES = {
    "USE_CLML", "USE_CUDA", "USE_CUDNN", "USE_CUTLASS", "USE_HEXAGON", "USE_LLVM", "USE_METAL", "USE_NCCL",
    "USE_NNAPI_CODEGEN", "USE_NNAPI_RUNTIME", "USE_NVSHMEM", "USE_NVTX", "USE_OPENCL", "USE_ROCM", "USE_VULKAN",
}  # fmt: skip


def test_the_name_is_the_function_even_after_the_module_was_imported() -> None:

    assert callable(tvm.support.libinfo)
    assert sys.modules["tvm.support.libinfo"].__name__ == "tvm.support.libinfo"


def test_the_keys_are_the_seeds_and_the_values_on_or_off() -> None:
    found = tvm.support.libinfo()
    assert set(found) == NAMES
    assert set(found.values()) <= {"ON", "OFF"}


def test_a_fresh_dict_comes_at_each_call() -> None:
    tvm.support.libinfo()["USE_CUDA"] = "changed"
    assert tvm.support.libinfo()["USE_CUDA"] != "changed"


@pytest.mark.parametrize("name", ["USE_CUDA", "USE_METAL", "USE_NVSHMEM", "USE_HEXAGON"])
def test_what_is_not_here_is_off(name: str, machine: Path) -> None:
    """The seed says ON for CUDA everywhere."""
    assert machine.is_dir()
    assert tvm.support.libinfo()[name] == "OFF"


def test_cuda_is_on_where_a_toolkit_has_a_compiler(machine: Path) -> None:
    toolkit(machine / "usr/local/cuda")
    assert tvm.support.libinfo()["USE_CUDA"] == "ON"


def test_metal_is_on_where_xcrun_is_on_path(stand_in: MakeStandIn) -> None:
    stand_in("xcrun", output="xcrun version 70\n", makes=False)
    assert tvm.support.libinfo()["USE_METAL"] == "ON"


def test_llvm_is_on_where_a_clang_is_on_path(stand_in: MakeStandIn) -> None:
    assert tvm.support.libinfo()["USE_LLVM"] == "OFF"
    stand_in("clang", output="clang version 19.1.7\n", makes=False)
    assert tvm.support.libinfo()["USE_LLVM"] == "ON"


def test_rocm_is_on_where_its_folder_has_a_hipcc(
    tmp_path: Path, stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROCM_PATH", str(tmp_path))
    assert tvm.support.libinfo()["USE_ROCM"] == "OFF"
    (tmp_path / "bin").mkdir()
    Path(stand_in("hipcc", output="HIP version: 6.4\n", makes=False).path).rename(tmp_path / "bin" / "hipcc")
    assert tvm.support.libinfo()["USE_ROCM"] == "ON"


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("libneuralnetworks.so", "USE_NNAPI_RUNTIME"),
        ("libOpenCL.so.1", "USE_OPENCL"),
        ("libvulkan.so.1", "USE_VULKAN"),
        ("libnccl.so.2", "USE_NCCL"),
        ("libcudnn.so.9", "USE_CUDNN"),
    ],
)
def test_a_runtime_library_is_on_where_the_loader_would_find_it(
    file: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / file).touch()
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    assert tvm.support.libinfo()[name] == "ON"


def test_a_header_is_on_below_the_folder_that_a_variable_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    header = tmp_path / "include" / "cutlass" / "cutlass.h"
    header.parent.mkdir(parents=True)
    header.touch()
    monkeypatch.setenv("CUTLASS_HOME", str(tmp_path))
    assert tvm.support.libinfo()["USE_CUTLASS"] == "ON"


def test_hexagon_is_on_where_its_toolchain_has_a_clang(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEXAGON_TOOLCHAIN", str(tmp_path))
    assert tvm.support.libinfo()["USE_HEXAGON"] == "OFF"
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "hexagon-clang").touch()
    assert tvm.support.libinfo()["USE_HEXAGON"] == "ON"


@pytest.mark.parametrize("name", sorted(NAMES))
def test_the_environment_overrides_what_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"TVM_{name}", "llvm-config-19")
    assert tvm.support.libinfo()[name] == "llvm-config-19"
    monkeypatch.setenv(f"TVM_{name}", "")
    assert tvm.support.libinfo()[name] in {"ON", "OFF"}


def test_describe_prints_versions_and_the_options(capsys: pytest.CaptureFixture[str]) -> None:
    tvm.support.describe()
    head, _, options = capsys.readouterr().out.partition("CMake Options:\n")
    lines = head.splitlines()
    assert lines[0] == "Python Environment"
    assert lines[1] == f"  TVM version    = {tvm.__version__}"
    assert lines[2].startswith("  Python version = 3.")
    assert lines[2].endswith(f"({64 if sys.maxsize > 2**32 else 32} bit)")
    assert lines[3].startswith("  uname          = ")
    assert json.loads(options) == tvm.support.libinfo()
    assert all(line.startswith("  ") for line in options.splitlines())
    assert list(json.loads(options)) == sorted(NAMES)
