import os
import time
from pathlib import Path

import pytest

from tvm.support._cache import states
from tvm.support._cache.states import State


def _aged(path: Path) -> None:
    # A file's own change time cannot be set: the test looks at what the times are worth, not at the clock.
    os.utime(path, (1, 1))


def test_a_file_is_the_same_while_its_bytes_are(tmp_path: Path) -> None:
    file = tmp_path / "x.h"
    file.write_text("one", encoding="ascii")
    state = states.file(str(file))

    assert states.holds(state)
    file.write_text("two", encoding="ascii")
    assert not states.holds(state)


def test_a_file_that_was_touched_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "x.h"
    file.write_text("one", encoding="ascii")
    state = states.file(str(file))
    _aged(file)

    assert states.holds(state)


def test_a_young_file_is_hashed_although_its_times_are_the_same(tmp_path: Path) -> None:
    file = tmp_path / "x.h"
    file.write_text("one", encoding="ascii")
    state = states.file(str(file))

    assert not state.settled
    assert not states.holds(_with(state, digest="0" * 64))


def test_a_settled_file_is_not_read(tmp_path: Path, old_files: None) -> None:
    assert old_files is None
    file = tmp_path / "x.h"
    file.write_text("one", encoding="ascii")
    state = states.file(str(file))

    assert state.settled
    assert states.holds(_with(state, digest="0" * 64))


def test_times_in_the_future_do_not_settle(tmp_path: Path) -> None:
    file = tmp_path / "x.h"
    file.write_text("one", encoding="ascii")
    ahead = time.time() + 10_000
    os.utime(file, (ahead, ahead))

    assert not states.file(str(file)).settled


def test_a_file_put_in_the_place_of_a_settled_one_is_noticed(tmp_path: Path, old_files: None) -> None:
    assert old_files is None
    file = tmp_path / "x.h"
    file.write_text("one", encoding="ascii")
    state = states.file(str(file))
    times = (file.stat().st_atime_ns, file.stat().st_mtime_ns)
    other = tmp_path / "other"
    other.write_text("two", encoding="ascii")
    os.utime(other, ns=times)
    other.replace(file)

    assert not states.holds(state)


def test_what_was_missing_must_stay_missing(tmp_path: Path) -> None:
    state = states.missing(str(tmp_path / "a" / "b" / "x.h"))

    assert state.path == str(tmp_path / "a")
    assert states.holds(state)
    (tmp_path / "a").symlink_to("nowhere")
    assert not states.holds(state)


def test_a_name_below_a_file_is_missing(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("", encoding="ascii")

    assert states.holds(states.missing(str(tmp_path / "a" / "x.h")))
    assert states.any_of(str(tmp_path / "a" / "x.h")).kind == "none"


def test_a_folder_is_its_names(tmp_path: Path) -> None:
    (tmp_path / "x.h").write_text("one", encoding="ascii")
    state = states.names(str(tmp_path))
    (tmp_path / "x.h").write_text("two", encoding="ascii")

    assert states.holds(state)
    (tmp_path / "y.o").write_text("", encoding="ascii")
    assert not states.holds(state)


def test_of_a_folder_of_headers_other_files_do_not_count(tmp_path: Path) -> None:
    state = states.names(str(tmp_path), headers=True)
    (tmp_path / "y.o").write_text("", encoding="ascii")

    assert states.holds(state)
    (tmp_path / "y.cuh").write_text("", encoding="ascii")
    assert not states.holds(state)


def test_a_fifo_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.h")

    with pytest.raises(OSError, match="not a regular file"):
        states.file(str(tmp_path / "x.h"))


def test_a_state_is_the_same_after_a_journey_through_json(tmp_path: Path) -> None:
    for state in (states.names(str(tmp_path)), states.nothing("/nowhere\udcff")):
        assert State.of_json(state.as_json()) == state


def test_a_state_is_older_than_a_moment_two_seconds_later(tmp_path: Path) -> None:
    file = tmp_path / "x.h"
    file.write_text("one", encoding="ascii")
    state = states.file(str(file))
    now = max(state.stamp[1:3])

    assert not states.is_older(state, now + states.SETTLED)
    assert states.is_older(state, now + states.SETTLED + 1)


def _with(state: State, *, digest: str) -> State:
    return State.of_json([*state.as_json()[:3], digest, state.settled])


def test_a_file_is_read_once_while_it_stays(tmp_path: Path, old_files: None) -> None:
    assert old_files is None
    header = tmp_path / "x.h"
    header.write_text("one", encoding="ascii")

    first = states.seen(str(header))
    assert states.seen(str(header)) is first
    header.write_text("another", encoding="ascii")
    assert states.seen(str(header)) != first
