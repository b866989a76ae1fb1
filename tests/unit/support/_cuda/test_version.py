import json
from pathlib import Path

import pytest

from tests.unit.stand_in import MakeStandIn
from tests.unit.support._cuda.fakes import headers, touch
from tvm.error import TVMError
from tvm.support._cuda import version

pytestmark = pytest.mark.usefixtures("machine")
_NVCC = "nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 13.0, V13.0.88\nBuild x\n"


def test_version_json_comes_first(tmp_path: Path) -> None:
    touch(tmp_path / "version.json", json.dumps({"cuda": {"name": "CUDA SDK", "version": "12.9.1"}}))
    touch(tmp_path / "version.txt", "CUDA Version 11.0.1\n")

    assert version.of(tmp_path) == (12, 9, 1)


@pytest.mark.parametrize("name", ["version.txt", "lib/cuda/version.txt"])
def test_version_txt(name: str, tmp_path: Path) -> None:
    touch(tmp_path / name, "CUDA Version 10.2.89\n")

    assert version.of(tmp_path) == (10, 2, 89)


@pytest.mark.parametrize("text", ["", "none", "{", "[]", '{"cuda": 1}'])
def test_files_that_tell_nothing_are_passed_over(text: str, tmp_path: Path) -> None:
    touch(tmp_path / "version.json", text)
    touch(tmp_path / "version.txt", text)
    headers(tmp_path / "include", 12090)

    assert version.of(tmp_path) == (12, 9)


def test_nvcc_is_asked_last(stand_in: MakeStandIn, bin_folder: Path, tmp_path: Path) -> None:
    nvcc = stand_in("nvcc", output=_NVCC)
    (tmp_path / "bin").symlink_to(bin_folder)

    assert version.of(tmp_path) == (13, 0, 88)
    assert nvcc.calls == [["--version"]]


def test_a_version_in_a_file_spares_the_run_of_nvcc(stand_in: MakeStandIn, bin_folder: Path, tmp_path: Path) -> None:
    nvcc = stand_in("nvcc", output=_NVCC)
    (tmp_path / "bin").symlink_to(bin_folder)
    touch(tmp_path / "version.txt", "CUDA Version 12.0")

    assert version.of(tmp_path) == (12, 0)
    assert nvcc.calls == []


@pytest.mark.parametrize(("output", "code"), [("", 0), ("no such line", 0), (_NVCC, 1)])
def test_nothing_that_tells_it_is_an_error(
    output: str, code: int, stand_in: MakeStandIn, bin_folder: Path, tmp_path: Path
) -> None:
    stand_in("nvcc", output=output, code=code)
    (tmp_path / "bin").symlink_to(bin_folder)

    with pytest.raises(TVMError, match="cannot read the CUDA version") as caught:
        version.of(tmp_path)

    assert f"{tmp_path}/version.json" in caught.value.looked


def test_nothing_at_all_is_the_same_error(tmp_path: Path) -> None:
    """In the seed it is a FileNotFoundError about nvcc."""
    with pytest.raises(TVMError, match="cannot read the CUDA version"):
        version.of(tmp_path / "absent")


def test_a_part_of_the_wheels_has_the_version_of_them_all(tmp_path: Path) -> None:
    touch(tmp_path / "cuda_nvcc/nvvm/libdevice/libdevice.10.bc")
    headers(tmp_path / "cuda_runtime/include", 12090)

    assert version.of(tmp_path / "cuda_nvcc") == (12, 9)


def test_folders_without_headers_have_no_version(tmp_path: Path) -> None:
    assert version.header_version(tmp_path) is None
    assert version.header_version(None) is None
    touch(tmp_path / "cuda_runtime_api.h", "nothing")
    version.header_version.cache_clear()
    assert version.header_version(tmp_path) is None
