import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tvm.matrix.engine import leftovers
from tvm.support import process


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[int]:
    """Return the pid of a process in a session of its own that has the mark of the box `/box`."""
    environment = {leftovers.VARIABLE: "/box", "PATH": ""}
    sleeps = [sys.executable, "-IS", "-c", "import time; time.sleep(60)"]
    pid = process.spawn_daemon(sleeps, log=tmp_path / "log", env=environment)
    yield pid
    # A test may have seen its end.
    with suppress(ChildProcessError, ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def wait_for_member(box: str, pid: int) -> None:
    # Before its exec a new process has our environment.
    end = time.monotonic() + 10
    while pid not in leftovers.members(box) and time.monotonic() < end:
        time.sleep(0.01)


def test_a_daemon_is_known_by_its_environment(daemon: int) -> None:
    wait_for_member("/box", daemon)
    assert list(leftovers.members("/box")) == [daemon]


def test_a_box_whose_name_only_begins_the_same_has_no_part_in_it(daemon: int) -> None:
    wait_for_member("/box", daemon)
    assert list(leftovers.members("/bo")) == []


def test_a_daemon_is_ended_and_nothing_else(daemon: int) -> None:
    wait_for_member("/box", daemon)
    leftovers.end("/other")
    assert list(leftovers.members("/box")) == [daemon]
    leftovers.end("/box")
    _, status = os.waitpid(daemon, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL


def test_we_do_not_end_ourselves(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / str(os.getpid())).mkdir()
    (tmp_path / str(os.getpid()) / "environ").write_bytes(f"{leftovers.VARIABLE}=/box\0".encode())
    monkeypatch.setattr(leftovers, "_PROC", tmp_path)
    assert list(leftovers.members("/box")) == []


def test_a_system_without_proc_has_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(leftovers, "_PROC", tmp_path / "none")
    assert list(leftovers.members("/box")) == []
