from pathlib import Path

import pytest

from tvm.error import StorageError
from tvm.support._cuda import stage


def test_the_folder_does_not_depend_on_tmpdir(machine: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    with stage.staging("0123") as folder:
        assert folder == machine / "tmp" / "tvm-0123"
        assert list(folder.iterdir()) == []

    assert not folder.exists()


def test_where_it_cannot_be_had_another_is_taken(
    machine: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (machine / "tmp" / "tvm-0123").symlink_to(tmp_path)

    with stage.staging("0123") as folder:
        assert folder.parent == tmp_path


def test_an_error_of_the_block_is_not_taken_for_a_missing_folder(machine: Path) -> None:
    msg = "from the block"

    with pytest.raises(StorageError, match=msg), stage.staging("0123"):
        raise StorageError(msg)

    assert list((machine / "tmp").iterdir()) == []
