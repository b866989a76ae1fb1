import os
from pathlib import Path

from tvm.support._cache import evict, flight
from tvm.support._cache.store import File, Product, Store


def _fill(opened: Store, count: int, *, size: int = 1000) -> None:
    for number in range(count):
        key = f"{number:064x}"
        opened.save(key, Product(files={"product": File(data=os.urandom(size))}), [])
        for kind in ("manifests", "results", "blobs"):
            for path in opened.files(kind):
                if path.stat().st_mtime > 10_000:
                    os.utime(path, (number, number))


def _size(opened: Store) -> int:
    return sum(entry.size for entry in evict.entries(opened))


def test_below_its_limit_nothing_goes(opened: Store) -> None:
    _fill(opened, 3)

    assert evict.prune(opened, 1 << 20) == (0, 0)
    assert _size(opened) > 3000


def test_what_was_used_least_recently_goes_first(opened: Store) -> None:
    _fill(opened, 10)
    opened.load(f"{0:064x}")

    files, freed = evict.prune(opened, _size(opened) // 2)

    assert files > 0
    assert freed > 0
    assert opened.load(f"{0:064x}") is not None
    assert opened.load(f"{1:064x}") is None
    assert opened.load(f"{9:064x}") is not None


def test_each_product_keeps_the_store_below_its_limit(opened: Store) -> None:
    limit = 60_000
    for number in range(60):
        key = f"{number:02x}" + "0" * 62
        names = opened.save(key, Product(files={"product": File(data=os.urandom(3000))}), [])
        evict.keep_limit(opened, names, limit)

        assert _size(opened) <= limit


def test_a_product_larger_than_the_limit_does_not_stay(opened: Store) -> None:
    names = opened.save("00" * 32, Product(files={"product": File(data=bytes(5000))}), [])
    evict.keep_limit(opened, names, 1000)

    assert _size(opened) <= 1000


def test_one_makes_room_at_a_time(opened: Store, tmp_path: Path) -> None:
    assert tmp_path.is_dir()
    _fill(opened, 3)

    with flight.alone(opened.root / "building", "prune"):
        assert evict.prune(opened, 0) == (0, 0)
    assert evict.prune(opened, 0)[0] == 9
