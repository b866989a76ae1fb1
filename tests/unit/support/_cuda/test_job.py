from pathlib import Path

import pytest

from tests.unit.support._cuda.jobs import KERNEL, make
from tvm.support._cuda.errors import CudaArgumentError

_NVSHMEM = "#include <nvshmem.h>\n"


def test_a_str_is_the_source_under_the_seeds_name() -> None:
    job = make(KERNEL)

    assert (job.code, job.name, job.shown, job.folders) == (KERNEL, "tvm_kernels.cu", "tvm_kernels.cu", ())


def test_a_path_is_read_and_its_folder_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "my.cu").write_text(KERNEL, encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    job = make(Path("src/my.cu"))

    assert (job.code, job.name, job.shown) == (KERNEL, "my.cu", "src/my.cu")
    assert job.folders == (tmp_path / "src",)


def test_a_path_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"my\.cu"):
        make(tmp_path / "my.cu")


@pytest.mark.parametrize(("given", "default", "expected"), [(None, "ptx", "ptx"), ("fatbin", "ptx", "fatbin")])
def test_the_format_has_a_default(given: str | None, default: str, expected: str) -> None:
    assert make(KERNEL, given, default_format=default).target_format == expected


def test_with_nvshmem_the_default_is_a_cubin() -> None:
    assert make(_NVSHMEM, None, default_format="ptx").target_format == "cubin"


@pytest.mark.parametrize("target_format", ["ptx", "fatbin"])
def test_with_nvshmem_another_format_is_an_error(target_format: str) -> None:
    with pytest.raises(CudaArgumentError, match=f"is a cubin, not {target_format}"):
        make(_NVSHMEM, target_format)


def test_another_format_is_an_error_that_names_it() -> None:
    with pytest.raises(ValueError, match="target_format is 'elf'"):
        make(KERNEL, "elf")


@pytest.mark.parametrize("target_format", ["cubin", "ptx"])
def test_several_archs_are_for_a_fatbin(target_format: str) -> None:
    with pytest.raises(CudaArgumentError, match=f"a {target_format} holds code for one architecture"):
        make(KERNEL, target_format, ["sm_80", "sm_90"])
    assert len(make(KERNEL, "fatbin", ["sm_80", "sm_90"]).archs) == 2


def test_the_key_stands_for_source_flags_and_compiler_but_not_for_the_folder(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "k.cu").write_text(KERNEL, encoding="utf-8")
    job = make(tmp_path / "a" / "k.cu")

    others = [
        job.key("nvcc"),
        make(tmp_path / "a" / "k.cu", arch="sm_80").key("nvrtc"),
        make(tmp_path / "a" / "k.cu", fast_math=True).key("nvrtc"),
        make(tmp_path / "a" / "k.cu", options=["-lineinfo"]).key("nvrtc"),
        make(KERNEL + "\n").key("nvrtc"),
    ]
    assert len({job.key("nvrtc"), *others}) == 6
    assert job.key("nvrtc") == make(tmp_path / "b" / "k.cu").key("nvrtc")
    assert len(job.key("nvrtc")) == 16


def test_what_tools_say_is_handed_to_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "tvm.support.nvcc")

    make().log(" used 8 registers\n")
    make().log("\n")

    assert caplog.messages == ["used 8 registers"]
