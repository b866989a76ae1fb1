import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tvm.support import _pidfd


@pytest.fixture
def child() -> Iterator["subprocess.Popen[bytes]"]:
    """Return a child that ends when its input does."""
    program = "import sys; sys.stdin.read(); sys.exit(3)"
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE) as started:
        yield started


def descriptors() -> set[str]:
    return {path.name for path in Path("/proc/self/fd").iterdir()}


def test_it_returns_when_the_child_has_ended_and_leaves_it_to_be_waited_for(child: "subprocess.Popen[bytes]") -> None:
    assert child.stdin
    child.stdin.close()
    before = descriptors()
    _pidfd.wait(child.pid, 60)
    assert child.poll() == 3
    assert descriptors() == before


@pytest.mark.parametrize("limit", [0.2, 0.0, -1.0])
def test_it_returns_after_the_limit(child: "subprocess.Popen[bytes]", limit: float) -> None:
    before, started = descriptors(), time.monotonic()
    _pidfd.wait(child.pid, limit)
    assert time.monotonic() - started >= limit
    assert child.poll() is None
    assert descriptors() == before


def test_a_limit_beyond_what_the_system_takes_is_none(child: "subprocess.Popen[bytes]") -> None:
    assert child.stdin
    child.stdin.close()
    _pidfd.wait(child.pid, 1e12)
    assert child.poll() == 3


def test_where_the_system_cannot_tell_it_returns_at_once(
    child: "subprocess.Popen[bytes]", monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_pid: int) -> int:
        raise PermissionError

    monkeypatch.setattr(os, "pidfd_open", refused)
    _pidfd.wait(child.pid, 60)
    assert child.poll() is None


def test_a_python_that_was_built_with_older_headers(
    child: "subprocess.Popen[bytes]", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "pidfd_open")
    _pidfd.wait(child.pid, 60)
    assert child.poll() is None
