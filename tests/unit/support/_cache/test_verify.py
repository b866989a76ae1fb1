from pathlib import Path

import pytest

from tvm.support._cache.store import File, Product, Store
from tvm.support._cache.verify import Verified, verify


@pytest.fixture
def filled(opened: Store) -> Store:
    """Return a store with three products."""
    for number in range(3):
        data = f"product {number}".encode()
        opened.save(f"{number:02x}" * 32, Product(files={"product": File(data=data)}, about={"number": number}), [])
    return opened


def test_a_sound_store_stays_as_it_is(filled: Store) -> None:
    assert verify(filled) == Verified(sound=9, damaged=0, orphans=0, building=0)
    assert verify(filled) == Verified(sound=9, damaged=0, orphans=0, building=0)


@pytest.mark.parametrize(("kind", "orphans"), [("manifests", 0), ("results", 1), ("blobs", 2)])
@pytest.mark.parametrize("data", [b"", b"cut", b"tvm-cache 1\n" + bytes(100)])
def test_what_is_damaged_goes_with_what_led_to_it(kind: str, orphans: int, data: bytes, filled: Store) -> None:
    next(filled.files(kind)).write_bytes(data)

    assert verify(filled) == Verified(sound=9 - 1 - orphans, damaged=1, orphans=orphans, building=0)
    assert verify(filled).damaged == 0


def test_what_killed_builders_have_left_goes(filled: Store) -> None:
    for name in ("dead.lock", "dead.part", "lost.d"):
        (filled.root / "building" / name).write_bytes(b"half")

    assert verify(filled).building == 0
    assert list((filled.root / "building").iterdir()) == []


def test_a_foreign_file_is_damage(filled: Store) -> None:
    shard = filled.root / "blobs" / "zz"
    shard.mkdir()
    (shard / "zzz").write_bytes(b"?")

    assert verify(filled).damaged == 1
    assert not Path(shard, "zzz").exists()
