from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.unit.support._cuda.jobs import KERNEL, make
from tvm.error import StorageError
from tvm.support._cuda import dump


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder that TVM_KERNEL_DUMP names; it is not there yet."""
    made = tmp_path / "a" / "dump"
    monkeypatch.setenv("TVM_KERNEL_DUMP", str(made))
    return made


def test_source_and_product_are_kept_under_one_name(folder: Path) -> None:
    dump.source(make(), "nvrtc")
    dump.product(make(), "nvrtc", b"code")

    name = f"tvm_kernels-{make().key('nvrtc')}"
    assert sorted(file.name for file in folder.iterdir()) == [f"{name}.cu", f"{name}.cubin"]
    assert (folder / f"{name}.cu").read_text(encoding="utf-8") == KERNEL
    assert (folder / f"{name}.cubin").read_bytes() == b"code"


def test_without_the_switch_nothing_is_kept(tmp_path: Path) -> None:
    dump.source(make(), "nvrtc")
    dump.product(make(), "nvrtc", b"code")
    dump.intermediates(make(), "nvcc", tmp_path)

    assert list(tmp_path.glob("**/tvm_kernels*")) == []


def test_compiles_that_run_at_once_do_not_meet(folder: Path) -> None:
    jobs = [make(KERNEL, arch=arch, options=options) for arch in ("sm_80", "sm_90") for options in (None, "-w")]

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda job: dump.product(job, "nvrtc", job.key("nvrtc").encode()), jobs * 8))

    contents = {file.name: file.read_text(encoding="ascii") for file in folder.iterdir()}
    assert contents == {f"tvm_kernels-{job.key('nvrtc')}.cubin": job.key("nvrtc") for job in jobs}


def test_equal_sources_in_two_folders_do_not_meet(folder: Path, tmp_path: Path) -> None:
    """Their headers may differ."""
    for name in ("x", "y"):
        (tmp_path / name).mkdir()
        file = tmp_path / name / "k.cu"
        file.write_text(KERNEL, encoding="utf-8")
        dump.source(make(file), "nvrtc")

    assert len(list(folder.iterdir())) == 2


def test_intermediates_are_kept_in_a_folder_of_their_own(folder: Path, tmp_path: Path) -> None:
    kept = tmp_path / "keep"
    (kept / "deeper").mkdir(parents=True)
    (kept / "x.ptx").write_text("text", encoding="ascii")

    dump.intermediates(make(), "nvcc", kept)

    (there,) = folder.iterdir()
    assert there.suffix == ".keep"
    assert [file.name for file in there.iterdir()] == ["x.ptx"]


def test_a_folder_that_cannot_be_made_is_an_error(folder: Path) -> None:
    folder.parent.touch()

    with pytest.raises(StorageError, match="cannot make the folder for dumped kernels"):
        dump.source(make(), "nvrtc")
