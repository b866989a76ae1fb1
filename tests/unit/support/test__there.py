from pathlib import Path

import pytest

from tvm.support._there import is_file, is_folder


def test_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    assert (is_file(tmp_path / "file"), is_folder(tmp_path / "file")) == (True, False)
    assert (is_file(str(tmp_path)), is_folder(str(tmp_path))) == (False, True)


@pytest.mark.parametrize("name", ["", "none", "x" * 5000, "/" * 5000 + "none", "a\0b", "\udcff"])
def test_a_name_that_no_file_can_have_is_not_there(name: str) -> None:
    assert not is_file(name)
    assert not is_folder(name)
