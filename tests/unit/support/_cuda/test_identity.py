from pathlib import Path

import pytest

from tests.unit.support._cuda.fakes import touch
from tvm.support._cache import memo
from tvm.support._cuda import identity


@pytest.fixture(autouse=True)
def _on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_COMPILE_CACHE", "on")
    memo.forget()


def _wheel(site: Path, name: str, text: str = "lists files") -> Path:
    record = site / f"{name}.dist-info" / "RECORD"
    record.parent.mkdir(parents=True)
    record.write_text(text, encoding="ascii")
    return record


@pytest.mark.parametrize("part", ["cuda_runtime/include", "cu13/include", "cu13/include/cccl"])
def test_wheels_are_known_by_their_lists(part: str, tmp_path: Path) -> None:
    folder = tmp_path / "site" / "nvidia" / part
    folder.mkdir(parents=True)
    record = _wheel(tmp_path / "site", "nvidia_cuda_runtime-13.0")
    _wheel(tmp_path / "site", "numpy-2.0")

    found = identity.of(folder)

    assert [state.path for state in found] == [str(record)]
    record.write_text("lists other files", encoding="ascii")
    assert identity.of(folder) != found


@pytest.mark.parametrize("part", ["include", "targets/x86_64-linux/include", "targets/x86_64-linux/include/cccl"])
@pytest.mark.parametrize("name", ["version.json", "version.txt"])
def test_a_toolkit_is_known_by_its_version_file(name: str, part: str, tmp_path: Path) -> None:
    root = tmp_path / "cuda"
    (root / part).mkdir(parents=True)
    (root / "bin").mkdir()
    (root / name).write_text("12.9.1", encoding="ascii")

    assert [state.path for state in identity.of(root / part)] == [str(root / name)]


def test_any_other_folder_has_none(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "version.txt").write_text("of something else", encoding="ascii")

    assert identity.of(tmp_path / "include") == ()


def test_names_that_its_headers_include(tmp_path: Path) -> None:
    touch(tmp_path / "include" / "cuda_fp16.h")
    (tmp_path / "include" / "cuda_fp16.h").write_text(
        '#include "vector_types.h"\n # include <nv/target>\n', encoding="ascii"
    )

    assert identity.included_names([tmp_path / "include"], ()) == {"cuda_fp16.h", "vector_types.h", "nv"}
