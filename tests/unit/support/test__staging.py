import os
import threading
from pathlib import Path

import pytest

from tvm.error import StorageError, TVMError
from tvm.support._staging import Stage, private, staged


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a folder with nothing in it."""
    return _folder(tmp_path / "place")


def _write(stage: Stage, text: str) -> Path:
    product = stage.folder / stage.name
    product.write_text(text, encoding="utf-8")
    return product


def test_the_product_replaces_the_output_and_nothing_else_is_left(place: Path) -> None:
    output = place / "libx.so"
    output.write_text("old", encoding="utf-8")

    with staged(output) as stage:
        _write(stage, "new")
        assert output.read_text(encoding="utf-8") == "old"

    assert output.read_text(encoding="utf-8") == "new"
    assert _names(place) == ["libx.so"]


def test_a_failure_leaves_the_earlier_output_as_it_was(place: Path) -> None:
    output = place / "libx.so"
    output.write_text("old", encoding="utf-8")

    with pytest.raises(FileNotFoundError), staged(output) as stage:
        _write(stage, "half").with_name("missing").read_text(encoding="utf-8")

    assert output.read_text(encoding="utf-8") == "old"
    assert _names(place) == ["libx.so"]


def test_the_product_has_a_fixed_path_that_ends_in_its_own_name(place: Path) -> None:
    with staged("d/libx.so", cwd=_folder(place / "d").parent) as stage:
        assert stage.product == "d/.libx.so.tvm/libx.so"
        _write(stage, "")

    assert (place / "d" / "libx.so").exists()


def test_a_relative_path_that_begins_like_an_option_is_spelled_as_a_path(place: Path) -> None:
    _folder(place / "-d")

    with staged("-d/x", cwd=place) as stage:
        assert stage.product == "./-d/.x.tvm/x"
        _write(stage, "")


def test_other_files_of_the_tool_move_beside_the_output(place: Path) -> None:
    with staged(place / "x.so") as stage:
        _write(stage, "")
        (stage.folder / "x.d").touch()

    assert _names(place) == ["x.d", "x.so"]


def test_no_product_is_an_error(place: Path) -> None:
    with pytest.raises(TVMError, match=r"wrote no .*x\.so"), staged(place / "x.so"):
        pass

    assert _names(place) == []


def test_a_missing_folder_is_an_error_before_the_block_runs(place: Path) -> None:
    with pytest.raises(StorageError, match="folder of the output does not exist"), staged(place / "no" / "x.so"):
        pytest.fail("the block ran")


def test_a_file_in_the_place_of_the_folder_is_refused(place: Path) -> None:
    (place / ".x.tvm").touch()

    with pytest.raises(StorageError, match="cannot write"), staged(place / "x"):
        pytest.fail("the block ran")


@pytest.mark.parametrize("kind", ["folder", "fifo"])
def test_an_output_that_is_no_regular_file_is_refused(kind: str, place: Path) -> None:
    output = place / "out"
    if kind == "folder":
        output.mkdir()
    else:
        os.mkfifo(output)

    with pytest.raises(StorageError, match="no regular file"), staged(output):
        pytest.fail("the block ran")

    assert output.exists()


def test_a_link_at_the_output_is_replaced_not_followed(place: Path) -> None:
    elsewhere = place / "elsewhere"
    elsewhere.write_text("kept", encoding="utf-8")
    (place / "out").symlink_to(elsewhere)

    with staged(place / "out") as stage:
        _write(stage, "new")

    assert elsewhere.read_text(encoding="utf-8") == "kept"
    assert not (place / "out").is_symlink()


def test_a_link_in_the_place_of_the_folder_is_refused(place: Path) -> None:
    target = _folder(place / "target")
    (target / "kept").touch()
    (place / ".x.tvm").symlink_to(target)

    with pytest.raises(StorageError, match="cannot write"), staged(place / "x"):
        pytest.fail("the block ran")

    assert _names(target) == ["kept"]


def test_a_folder_of_another_user_is_refused(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = os.geteuid() + 1
    monkeypatch.setattr("os.geteuid", lambda: other)

    with pytest.raises(StorageError, match="belongs to another user"), staged(place / "x"):
        pytest.fail("the block ran")


def test_what_a_killed_process_left_is_removed(place: Path) -> None:
    left = _folder(place / ".x.tvm")
    (left / "x").write_text("half", encoding="utf-8")
    _folder(left / "objects")

    with staged(place / "x") as stage:
        assert _names(stage.folder) == []
        _write(stage, "whole")

    assert _names(place) == ["x"]


def test_an_output_that_cannot_be_replaced_is_a_storage_error(place: Path) -> None:
    _folder(place / "side")

    with pytest.raises(StorageError, match="cannot write"), staged(place / "x") as stage:
        _write(stage, "").with_name("side").touch()


def test_one_folder_belongs_to_one_thread_at_a_time(place: Path) -> None:
    inside: list[int] = []
    most = []

    def work(number: int) -> None:
        for _ in range(20):
            with private(place / "shared") as folder:
                inside.append(number)
                most.append(len(inside))
                (folder / "mine").mkdir()
                inside.remove(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert most == [1] * 80
    assert _names(place) == []


def test_on_windows_the_folder_has_a_name_of_its_own_and_the_product_its_own(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", "win32")

    with staged(place / "x.dll") as first, private(first.folder) as second:
        assert first.folder != second
        assert Path(first.product).name == "x.dll"
        _write(first, "")

    assert _names(place) == ["x.dll"]


def test_on_windows_a_folder_that_cannot_be_made_is_a_storage_error(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", "win32")

    with pytest.raises(StorageError, match="cannot write"), private(place / "no" / "x"):
        pytest.fail("the block ran")


def _names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def _folder(path: Path) -> Path:
    path.mkdir()
    return path
