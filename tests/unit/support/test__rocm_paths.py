from pathlib import Path

import pytest

from tests.unit.stand_in import MakeStandIn
from tests.unit.support.rocm_home import bitcode, program
from tvm.error import ToolNotFound
from tvm.support import _rocm_paths


@pytest.fixture(autouse=True)
def default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return what stands for /opt/rocm, which this machine may have."""
    monkeypatch.setattr(_rocm_paths, "DEFAULT", tmp_path / "default")
    return tmp_path / "default"


def test_rocm_path_is_taken_as_it_is(stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in("hipcc")
    monkeypatch.setenv("ROCM_PATH", "no/such/folder")
    assert _rocm_paths.find_rocm_path() == "no/such/folder"


def test_else_the_folder_of_hipcc_where_its_link_points(tmp_path: Path, bin_folder: Path) -> None:
    real = program(tmp_path / "rocm/bin", "hipcc")
    (bin_folder / "hipcc").symlink_to(real.path)
    assert _rocm_paths.find_rocm_path() == str(tmp_path / "rocm")


def test_else_the_usual_folder(default: Path) -> None:
    program(default / "bin", "hipcc")
    assert _rocm_paths.find_rocm_path() == str(default)


def test_else_an_error_that_says_where_it_looked(default: Path, bin_folder: Path) -> None:
    with pytest.raises(ToolNotFound, match="Cannot find ROCm path") as caught:
        _rocm_paths.find_rocm_path()
    assert caught.value.looked == (str(bin_folder), str(default / "bin"))
    assert "ROCM_PATH" in caught.value.fix


@pytest.mark.parametrize(
    "place",
    [
        "amdgcn/bitcode",
        "llvm/lib/clang/20/lib/amdgcn/bitcode",
        "lib/llvm-21/lib/clang/21/amdgcn/bitcode",
        "lib/x86_64-linux-gnu/amdgcn/bitcode",
        "lib",
    ],
)
def test_device_libraries_are_found_in_every_layout(place: str, tmp_path: Path) -> None:
    folder = bitcode(tmp_path / "rocm" / place)
    assert _rocm_paths.bitcode_folder(tmp_path / "rocm") == folder


def test_the_newest_of_several_comes_first(tmp_path: Path) -> None:
    for version in (9, 21, 17):
        bitcode(tmp_path / f"lib/llvm-{version}/lib/clang/{version}/amdgcn/bitcode")
    assert _rocm_paths.bitcode_folder(tmp_path) == tmp_path / "lib/llvm-21/lib/clang/21/amdgcn/bitcode"


def test_a_folder_without_ocml_is_none(tmp_path: Path) -> None:
    (tmp_path / "amdgcn/bitcode").mkdir(parents=True)
    with pytest.raises(ToolNotFound, match="no device libraries") as caught:
        _rocm_paths.bitcode_folder(tmp_path)
    assert str(tmp_path / "amdgcn/bitcode") in caught.value.looked


def test_tools_come_from_rocm_path_then_versions_then_path_then_the_usual_folder(
    stand_in: MakeStandIn, tmp_path: Path, default: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    last = program(default / "llvm/bin", "llc").path
    named = [stand_in(name).path for name in ("llc-17", "llc", "llc-19")]
    first = program(tmp_path / "rocm/llvm/bin", "llc").path
    monkeypatch.setenv("ROCM_PATH", str(tmp_path / "rocm"))
    monkeypatch.setenv("TVM_LLVM_VERSION", "17")
    assert _rocm_paths.find("llc") == [first, *named, last]


def test_tools_come_from_the_folder_of_hipcc(stand_in: MakeStandIn, tmp_path: Path, bin_folder: Path) -> None:
    (bin_folder / "hipcc").symlink_to(program(tmp_path / "rocm/bin", "hipcc").path)
    on_path = stand_in("llc").path
    beside = program(tmp_path / "rocm/lib/llvm/bin", "llc").path
    assert _rocm_paths.find("llc") == [beside, on_path]


def test_tools_come_from_the_llvm_that_the_device_libraries_are_part_of(
    stand_in: MakeStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Debian has several versions of LLVM in one folder."""
    for version in (17, 21):
        program(tmp_path / f"usr/lib/llvm-{version}/bin", "llc")
    bitcode(tmp_path / "usr/lib/llvm-17/lib/clang/17/amdgcn/bitcode")
    other = stand_in("llc").path
    monkeypatch.setenv("ROCM_PATH", str(tmp_path / "usr"))
    assert _rocm_paths.find("llc") == [str(tmp_path / "usr/lib/llvm-17/bin/llc"), other]


def test_a_missing_tool_is_an_error_that_says_where_it_looked(
    tmp_path: Path, bin_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROCM_PATH", str(tmp_path / "rocm"))
    assert _rocm_paths.find("llc", required=False) == []
    with pytest.raises(ToolNotFound, match="cannot find llc") as caught:
        _rocm_paths.find("llc")
    assert {str(tmp_path / "rocm/llvm/bin"), str(bin_folder)} <= set(caught.value.looked)
