import threading
import time
from pathlib import Path

import pytest

from tvm.support._cache import flight
from tvm.support.utils import FileLock


@pytest.fixture
def building(tmp_path: Path) -> Path:
    """Return an empty folder."""
    (tmp_path / "building").mkdir()
    return tmp_path / "building"


def test_one_builder_at_a_time(building: Path) -> None:
    inside, most = 0, 0
    guard = threading.Lock()

    def build() -> None:
        nonlocal inside, most
        with flight.alone(building, "key") as mine:
            assert mine
            with guard:
                inside += 1
                most = max(most, inside)
            time.sleep(0.005)
            with guard:
                inside -= 1

    threads = [threading.Thread(target=build) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert most == 1
    assert list(building.iterdir()) == []


def test_other_keys_do_not_wait(building: Path) -> None:
    with flight.alone(building, "one"), flight.alone(building, "two", patience=0.0) as mine:
        assert mine


def test_who_has_waited_long_enough_is_told(building: Path) -> None:
    with FileLock(building / "key.lock"), flight.alone(building, "key", patience=0.0) as mine:
        assert not mine

    assert (building / "key.lock").exists()


def test_what_a_killed_builder_has_left_is_cleared(building: Path) -> None:
    for name in ("key.lock", "key.part", "key.1234.d", "key.1234.ld"):
        (building / name).write_text("half", encoding="ascii")

    with flight.alone(building, "key") as mine:
        assert mine
        assert [path.name for path in building.iterdir()] == ["key.lock"]


def test_a_sweep_leaves_those_at_work(building: Path) -> None:
    for name in ("dead.lock", "dead.part", "lost.part"):
        (building / name).write_text("", encoding="ascii")

    with FileLock(building / "live.lock"):
        assert flight.sweep(building) == 1

    assert [path.name for path in building.iterdir()] == ["live.lock"]
