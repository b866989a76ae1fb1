import os
import subprocess
import sys

import pytest

from tvm.matrix import owner


def test_this_process_is_alive() -> None:
    assert owner.is_alive(owner.owner_id())


def test_another_process_has_another_id_and_is_gone_after_its_end() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        name = owner.owner_id(child.pid)
        alive = owner.is_alive(name)
    assert (alive, owner.is_alive(name)) == (True, False)


def test_a_zombie_is_gone() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        name = owner.owner_id(child.pid)
        assert child.stdin is not None
        child.stdin.close()
        # Waits without reaping: from here until the block's end the child is a zombie.
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        alive = owner.is_alive(name)
    assert not alive


def test_a_number_that_is_used_again_is_not_taken_for_its_former_owner() -> None:
    assert not owner.is_alive(f"{os.getpid()}-{(owner.start_time(os.getpid()) or 0) - 1}")


@pytest.mark.parametrize("text", ["", "-", "1", "x-1", "1-x", "-1-1", "1-", "²-1", "../1-1"])
def test_what_is_no_owner_is_not_alive(text: str) -> None:
    assert not owner.is_alive(text)


def test_a_process_that_is_not_there_has_no_start_time() -> None:
    assert owner.start_time(4194999) is None
