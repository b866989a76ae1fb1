from pathlib import Path

import pytest

from tests.unit.support._cuda.fakes import headers, program, toolkit, touch
from tvm.support._cuda import toolkit as toolkits


def test_nvidias_layout(tmp_path: Path) -> None:
    root = toolkit(tmp_path / "cuda")

    found = toolkits.at(root)

    assert found is not None
    assert found.headers == root / "include"
    assert found.program("nvcc") == root / "bin" / "nvcc"
    assert found.program("nvlink") is None
    assert found.library("libcudadevrt.a") == root / "lib64" / "libcudadevrt.a"
    assert found.library("libother.a") is None
    assert found.libdevices == (root / "nvvm" / "libdevice",)


def test_headers_of_the_target_and_of_libcudacxx_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    folder = headers(tmp_path / "targets/x86_64-linux/include")
    (folder / "cccl").mkdir()

    found = toolkits.at(tmp_path)

    assert found is not None
    assert found.includes == (folder, folder / "cccl")


def test_a_folder_that_is_linked_counts_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    headers(tmp_path / "targets/x86_64-linux/include")
    (tmp_path / "include").symlink_to("targets/x86_64-linux/include")

    found = toolkits.at(tmp_path)

    assert found is not None
    assert found.includes == (tmp_path / "include",)


def test_debians_layout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    headers(tmp_path / "include")
    program(tmp_path / "bin" / "nvcc")
    bitcode = touch(tmp_path / "lib/nvidia-cuda-toolkit/libdevice/libdevice.10.bc")
    touch(tmp_path / "lib/x86_64-linux-gnu/libcudadevrt.a")

    found = toolkits.at(tmp_path)

    assert found is not None
    assert found.libdevices == (bitcode.parent,)
    assert found.library("libcudadevrt.a") == tmp_path / "lib/x86_64-linux-gnu/libcudadevrt.a"


def test_folders_of_the_right_names_without_cuda_are_no_toolkit(tmp_path: Path) -> None:
    for name in ("include", "bin", "lib", "nvvm/libdevice"):
        (tmp_path / name).mkdir(parents=True)

    assert toolkits.at(tmp_path) is None
    assert toolkits.at(tmp_path / "missing") is None


def test_the_wheels_of_cuda_12_are_one_toolkit_of_parts(tmp_path: Path) -> None:
    headers(tmp_path / "cuda_runtime/include")
    touch(tmp_path / "cuda_runtime/lib/libcudadevrt.a")
    touch(tmp_path / "cuda_cccl/include/cuda/std/cstdint")
    touch(tmp_path / "cuda_nvcc/include/crt/mma.h")
    bitcode = touch(tmp_path / "cuda_nvcc/nvvm/libdevice/libdevice.10.bc")

    found = toolkits.in_wheels(tmp_path)

    assert found is not None
    assert found.root == tmp_path / "cuda_nvcc"
    assert {folder.parent.name for folder in found.includes} == {"cuda_runtime", "cuda_cccl", "cuda_nvcc"}
    assert found.headers == tmp_path / "cuda_runtime/include"
    assert found.library("libcudadevrt.a") == tmp_path / "cuda_runtime/lib/libcudadevrt.a"
    assert found.libdevices == (bitcode.parent,)
    assert found.program("nvcc") is None


def test_the_newest_tree_of_wheels_wins(tmp_path: Path) -> None:
    for name in ("cu9", "cu13", "cu12", "cutlass"):
        toolkit(tmp_path / name)

    found = toolkits.in_wheels(tmp_path)

    assert found is not None
    assert found.root == tmp_path / "cu13"


def test_other_wheels_of_nvidia_are_no_toolkit(tmp_path: Path) -> None:
    (tmp_path / "cudnn/include").mkdir(parents=True)
    (tmp_path / "cu13/lib").mkdir(parents=True)

    assert toolkits.in_wheels(tmp_path) is None


@pytest.mark.parametrize(
    ("machine", "names"),
    [
        ("x86_64", ("x86_64-linux",)),
        ("AMD64", ("x86_64-linux",)),
        ("aarch64", ("sbsa-linux", "aarch64-linux")),
        ("arm64", ("sbsa-linux", "aarch64-linux")),
    ],
)
def test_target_names(machine: str, names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: machine)

    assert toolkits.target_names() == names
