import os
import stat
from pathlib import Path

import pytest

from tvm.error import StorageError
from tvm.support._cache import states, store
from tvm.support._cache.states import State
from tvm.support._cache.store import File, Product, Store

_KEY = "ab" * 32
_PRODUCT = Product(files={"product": File(data=b"bytes", executable=True)}, about={"output": "a warning"})


def _source(tmp_path: Path, text: str = "one") -> list[State]:
    (tmp_path / "x.h").write_text(text, encoding="ascii")
    return [states.file(str(tmp_path / "x.h"))]


def test_a_new_store_is_the_user_s_own_and_marked_as_a_cache(opened: Store) -> None:
    assert stat.S_IMODE(opened.root.stat().st_mode) == 0o700
    assert (
        (opened.root / "CACHEDIR.TAG")
        .read_text(encoding="ascii")
        .startswith("Signature: 8a477f597d28d172789f06886806bc55")
    )
    assert opened.writable


def test_a_product_comes_back_as_it_was(opened: Store, tmp_path: Path) -> None:
    opened.save(_KEY, _PRODUCT, _source(tmp_path))

    assert opened.load(_KEY) == _PRODUCT


def test_a_product_of_other_headers_does_not(opened: Store, tmp_path: Path) -> None:
    opened.save(_KEY, _PRODUCT, _source(tmp_path))
    _source(tmp_path, "two")

    assert opened.load(_KEY) is None


def test_variants_live_side_by_side(opened: Store, tmp_path: Path) -> None:
    other = Product(files={"product": File(data=b"other")})
    opened.save(_KEY, _PRODUCT, _source(tmp_path))
    opened.save(_KEY, other, _source(tmp_path, "two"))

    assert opened.load(_KEY) == other
    _source(tmp_path)
    assert opened.load(_KEY) == _PRODUCT


def test_the_oldest_of_many_variants_goes(opened: Store, tmp_path: Path) -> None:
    for number in range(12):
        opened.save(_KEY, _PRODUCT, _source(tmp_path, str(number)))

    assert len(opened.entries(_KEY)) == 8


@pytest.mark.parametrize("kind", ["manifests", "results", "blobs"])
@pytest.mark.parametrize("damage", ["cut", "changed", "empty", "gone", "longer"])
def test_a_bad_entry_is_dropped_and_can_be_made_again(kind: str, damage: str, opened: Store, tmp_path: Path) -> None:
    made_from = _source(tmp_path)
    opened.save(_KEY, _PRODUCT, made_from)
    (file,) = opened.files(kind)
    whole = file.read_bytes()
    damaged = {"cut": whole[:-1], "changed": whole[:-1] + b"?", "empty": b"", "longer": whole + b"?"}
    if damage == "gone":
        file.unlink()
    else:
        file.write_bytes(damaged[damage])

    assert opened.load(_KEY) is None
    assert not file.exists()
    opened.save(_KEY, _PRODUCT, made_from)
    assert opened.load(_KEY) == _PRODUCT


def test_a_failed_write_leaves_what_was_there(opened: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened.save(_KEY, _PRODUCT, _source(tmp_path))

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        with pytest.raises(OSError, match="No space"):
            opened.save(_KEY, Product(files={"product": File(data=b"other")}), _source(tmp_path))

    assert opened.load(_KEY) == _PRODUCT
    assert list((opened.root / "building").iterdir()) == []


def test_a_store_that_is_open_to_others_is_closed(opened: Store) -> None:
    opened.root.chmod(0o755)
    store.opened(opened.root, write=True)

    assert stat.S_IMODE(opened.root.stat().st_mode) == 0o700


def test_a_store_of_another_user_is_refused(opened: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: mine + 1)

    with pytest.raises(StorageError, match="belongs to another user"):
        store.opened(opened.root, write=True)


def test_a_file_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="ascii")

    for write in (True, False):
        with pytest.raises(StorageError, match="compile cache"):
            store.opened(tmp_path / "file", write=write)


def test_a_store_that_is_only_read_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="there is no compile cache"):
        store.opened(tmp_path / "none", write=False)

    assert not (tmp_path / "none").exists()


def test_a_store_opened_for_reading_stays_as_it_is(opened: Store, tmp_path: Path) -> None:
    opened.save(_KEY, _PRODUCT, _source(tmp_path))
    (blob,) = opened.files("blobs")
    blob.write_bytes(b"damaged")
    os.utime(blob, (1, 1))
    reading = store.opened(opened.root, write=False)

    assert reading.load(_KEY) is None
    assert blob.read_bytes() == b"damaged"
    assert blob.stat().st_mtime == 1


@pytest.mark.parametrize("write", [True, False])
def test_a_folder_with_other_things_in_it_is_refused_and_stays_as_it_is(tmp_path: Path, write: bool) -> None:  # noqa: FBT001
    root = tmp_path / "folder"
    root.mkdir(mode=0o755)
    (root / "mine.txt").write_text("mine", encoding="ascii")
    with pytest.raises(StorageError, match=r"is no compile cache: it holds mine\.txt"):
        store.opened(root, write=write)
    assert [path.name for path in root.iterdir()] == ["mine.txt"]
    assert stat.S_IMODE(root.stat().st_mode) == 0o755


def test_a_store_that_was_half_made_is_made_whole(folder: Path) -> None:
    for name in ("manifests", "building"):
        (folder / name).mkdir(parents=True)
    assert store.opened(folder, write=True).writable
    assert (folder / "CACHEDIR.TAG").is_file()
