from pathlib import Path

import pytest

from tests.unit.stand_in import MakeStandIn
from tests.unit.support._cuda import fakes
from tests.unit.support._cuda.fakes import CUBIN, Nvjitlink, Nvrtc, fat_archive, toolkit, touch
from tests.unit.support._cuda.jobs import make
from tvm.error import ToolNotFound, TVMError
from tvm.support._cuda import arch, nvshmem

_RING = "#include <nvshmem.h>\n"
_CU12 = fat_archive([70, 80, 89, 90], [90])


@pytest.fixture
def home(machine: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the root of an NVSHMEM for CUDA 12, which NVSHMEM_HOME names."""
    root = fakes.nvshmem(machine / "nvshmem", _CU12)
    monkeypatch.setenv("NVSHMEM_HOME", str(root))
    return root


def test_nothing_there_is_one_error_that_lists_the_search(machine: Path) -> None:
    touch(machine / "usr/local/include/nvshmem.h")

    with pytest.raises(ToolNotFound, match="cannot find NVSHMEM") as caught:
        nvshmem.find()

    assert f"{machine}/usr/local: no libnvshmem_device.a" in caught.value.looked
    assert f"{machine}/usr: no nvshmem.h" in caught.value.looked
    assert "nvidia-nvshmem-cu12" in caught.value.fix


def test_the_order_of_the_search(machine: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    cuda = fakes.nvshmem(toolkit(tmp_path / "cuda"))
    monkeypatch.setenv("CUDA_PATH", str(cuda))
    places = [
        fakes.nvshmem(tmp_path / "home"),
        cuda,
        fakes.nvshmem(machine / "site-packages/nvidia/nvshmem"),
        fakes.nvshmem(tmp_path / "conda"),
        fakes.nvshmem(machine / "usr/local"),
    ]
    monkeypatch.setenv("NVSHMEM_HOME", str(places[0]))
    monkeypatch.setenv("CONDA_PREFIX", str(places[3]))

    found = []
    for place in places:
        found.append(nvshmem.find()[0].parent)
        monkeypatch.delenv("NVSHMEM_HOME", raising=False)
        (place / "include/nvshmem.h").unlink()

    assert found == places


def test_a_home_that_holds_none_is_an_error(machine: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Another NVSHMEM must not be used without a word."""
    fakes.nvshmem(machine / "usr/local")
    monkeypatch.setenv("NVSHMEM_HOME", str(tmp_path))

    with pytest.raises(ToolNotFound, match="cannot find NVSHMEM") as caught:
        nvshmem.find()

    assert caught.value.looked == (f"NVSHMEM_HOME={tmp_path}: no nvshmem.h",)


def test_debians_layout_with_several_versions(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    for number in ("9", "12", "13"):
        touch(machine / f"usr/include/nvshmem_{number}/nvshmem.h")
        touch(machine / f"usr/lib/x86_64-linux-gnu/nvshmem/{number}/libnvshmem_device.a")

    include, lib = nvshmem.find()

    assert (include.name, lib.name) == ("nvshmem_13", "13")


@pytest.mark.parametrize("name", ["sm_70", "sm_80", "sm_86", "sm_89", "sm_90a"])
def test_an_arch_with_code_of_its_own_or_of_an_older_minor_version_is_taken(name: str, home: Path) -> None:
    nvshmem.check(home / "lib/libnvshmem_device.a", arch.parse(name))


def test_an_arch_that_only_ptx_serves_is_an_error_that_says_why_and_how_to_force_it(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = home / "lib/libnvshmem_device.a"

    with pytest.raises(
        TVMError, match=r"no code for sm_100a, only PTX for sm_90.*holds sm_70, sm_80, sm_89, sm_90"
    ) as caught:
        nvshmem.check(library, arch.parse("sm_100a"))

    assert "TVM_CUDA_NVSHMEM_PTX=1" in caught.value.fix
    monkeypatch.setenv("TVM_CUDA_NVSHMEM_PTX", "1")
    nvshmem.check(library, arch.parse("sm_100a"))


@pytest.mark.parametrize("force", ["0", "1"])
def test_an_arch_that_nothing_serves_is_an_error(force: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_CUDA_NVSHMEM_PTX", force)

    with pytest.raises(TVMError, match="no code for sm_61"):
        nvshmem.check(home / "lib/libnvshmem_device.a", arch.parse("sm_61"))


def test_an_archive_without_device_code_holds_none(home: Path) -> None:
    touch(home / "lib/libnvshmem_device.a", "!<arch>\n")

    with pytest.raises(TVMError, match="holds none"):
        nvshmem.check(home / "lib/libnvshmem_device.a", arch.parse("sm_90"))


def test_by_nvrtc_and_nvjitlink(nvrtc: Nvrtc, nvjitlink: Nvjitlink, home: Path, machine: Path) -> None:
    toolkit(machine / "usr/local/cuda")

    assert nvshmem.by_nvrtc(make(_RING)) == CUBIN

    options = nvrtc.calls[0].options
    assert {"--std=c++17", "--relocatable-device-code=true", f"-I{home / 'include'}"} <= set(options)
    assert nvjitlink.added == [
        ("cubin", "tvm_kernels.cubin", CUBIN),
        ("library", "libnvshmem_device.a", _CU12),
        ("library", "libcudadevrt.a", b"the device runtime"),
    ]


def test_a_standard_that_the_caller_names_is_kept(nvrtc: Nvrtc, nvjitlink: Nvjitlink, home: Path) -> None:
    assert home.is_dir()

    nvshmem.by_nvrtc(make(_RING, options=["-std=c++20"]))

    assert [word for word in nvrtc.calls[0].options if "std" in word] == ["--std=c++20"]
    assert nvjitlink.destroyed == 1


@pytest.mark.usefixtures("home")
def test_nothing_is_compiled_for_an_arch_that_cannot_be_linked(nvrtc: Nvrtc) -> None:
    with pytest.raises(TVMError, match="no code for sm_100a"):
        nvshmem.by_nvrtc(make(_RING, arch="sm_100a"))

    assert nvrtc.calls == []


def test_by_nvcc_and_the_nvlink_beside_it(
    home: Path, machine: Path, bin_folder: Path, stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = toolkit(machine / "nvcc-only")
    (root / "bin/nvcc").unlink()
    (root / "bin").rmdir()
    (root / "bin").symlink_to(bin_folder)
    monkeypatch.setenv("CUDA_PATH", str(root))
    nvcc, nvlink = stand_in("nvcc"), stand_in("nvlink")

    made = nvshmem.by_nvcc(make(_RING))

    assert made.startswith(b'["nvlink", "-arch=sm_90a"')
    assert {"--cubin", "-rdc=true", f"-I{home / 'include'}"} <= set(nvcc.calls[0])
    assert "-c" not in nvcc.calls[0]
    assert nvlink.calls[0][2:4] == [str(home / "lib/libnvshmem_device.a"), str(root / "lib64/libcudadevrt.a")]


def test_the_device_runtime_of_another_toolkit_is_not_linked(
    home: Path, machine: Path, stand_in: MakeStandIn, bin_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be too new for this nvlink."""
    toolkit(machine / "usr/local/cuda")
    (machine / "nvcc-only").mkdir()
    (machine / "nvcc-only/bin").symlink_to(bin_folder)
    monkeypatch.setenv("CUDA_PATH", str(machine / "nvcc-only"))
    stand_in("nvcc")
    nvlink = stand_in("nvlink")

    nvshmem.by_nvcc(make(_RING))

    assert [word for word in nvlink.calls[0] if word.endswith(".a")] == [str(home / "lib/libnvshmem_device.a")]
