from pathlib import Path

import pytest

from tests.unit.support._cuda.fakes import headers, touch
from tvm.error import ToolNotFound
from tvm.support._cuda import libdevice


@pytest.fixture
def folder(machine: Path) -> Path:
    """Return the libdevice folder of the one toolkit."""
    made = machine / "usr/local/cuda/nvvm/libdevice"
    touch(made / "libdevice.strange.bc")
    return made


@pytest.mark.parametrize("arch", [80, "80", "sm_80", "8.0", (8, 0)])
def test_the_plain_file_is_for_every_arch(arch: object, folder: Path) -> None:
    file = touch(folder / "libdevice.10.bc")
    touch(folder / "libdevice.compute_35.10.bc")

    assert libdevice.find(arch) == file


@pytest.mark.parametrize(("arch", "expected"), [(35, 30), (50, 50), (49, 30), (90, 50)])
def test_the_newest_that_is_not_newer_than_the_arch(arch: int, expected: int, folder: Path) -> None:
    for number in (20, 30, 50):
        touch(folder / f"libdevice.compute_{number}.10.bc")

    assert libdevice.find(f"{arch // 10}.{arch % 10}") == folder / f"libdevice.compute_{expected}.10.bc"


def test_too_old_an_arch_is_an_error_with_the_folder(folder: Path) -> None:
    touch(folder / "libdevice.compute_50.10.bc")

    with pytest.raises(ToolNotFound, match="cannot find libdevice for arch 30") as caught:
        libdevice.find("3.0")

    assert caught.value.looked == (str(folder),)


def test_a_toolkit_without_libdevice_is_an_error_too(machine: Path) -> None:
    headers(machine / "usr/local/cuda/include")

    with pytest.raises(ToolNotFound, match="cannot find libdevice for arch 80"):
        libdevice.find(80)


def test_without_cuda_the_whole_search_is_listed(machine: Path) -> None:
    assert machine.is_dir()

    with pytest.raises(ToolNotFound, match="cannot find libdevice") as caught:
        libdevice.find(80)

    assert "CUDA_PATH (not set): no CUDA" in caught.value.looked
