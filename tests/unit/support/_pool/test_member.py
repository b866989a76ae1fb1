import socket
import struct
from collections.abc import Iterator
from concurrent.futures import Future

import pytest

from tvm.error import TaskTimeoutError
from tvm.support._pool.frames import Answer, Channel
from tvm.support._pool.member import Member, State
from tvm.support._pool.processes import Ending
from tvm.support._pool.tasks import Settings, Task


class _Process:
    """A worker that has used all its permits and has ended."""

    takes_advance = True
    pid = 1

    def __init__(self, own: socket.socket) -> None:
        self.channel = Channel(own)
        self.was_killed = False

    def line_fileno(self) -> int:
        return -1

    def permit(self, _count: int) -> None:
        """Do nothing: they are used at once."""

    def recall(self, _count: int) -> int:
        return 0

    def kill(self) -> None:
        self.was_killed = True

    def finish(self) -> None:
        """Do nothing: it has ended."""

    def ended(self, *, force: bool) -> Ending:  # noqa: ARG002 - the protocol's
        return Ending(code=3)

    def close(self) -> None:
        self.channel.close()


@pytest.fixture
def pair() -> Iterator[tuple[Member, socket.socket]]:
    own, theirs = socket.socketpair()
    member = Member(_Process(own), Settings())
    member.state = State.IDLE
    yield member, theirs
    member.process.close()
    theirs.close()


def _given(member: Member) -> tuple[Task, Task]:
    first, second = (Task(future=Future(), body=b"x", timeout=1.0) for _ in range(2))
    member.give([first, second])
    return first, second


def _answer(theirs: socket.socket) -> None:
    theirs.sendall(struct.pack("<qB", 1, Answer.PLAIN) + b"x")


def test_a_worker_that_ends_itself_was_at_the_first_task_that_it_has_not_answered(
    pair: tuple[Member, socket.socket],
) -> None:
    member, theirs = pair
    first, second = _given(member)
    _answer(theirs)
    assert member.is_gone()

    assert [done.task for done in member.last_words()] == [first]
    ((done,), again) = member.leftovers()
    assert (done.task, str(done.error), again) == (second, "the worker exited while it ran a task: exit code 3", [])


def test_a_task_that_began_while_its_worker_was_ended_for_another_one_is_told_so(
    pair: tuple[Member, socket.socket],
) -> None:
    member, theirs = pair
    first, second = _given(member)
    member.end(TaskTimeoutError("late"))
    _answer(theirs)
    assert member.is_gone()

    assert [done.task for done in member.last_words()] == [first]
    ((done,), _) = member.leftovers()
    assert done.task is second
    assert "the worker was ended for the task before this one" in str(done.error)


def test_a_task_that_is_too_late_has_the_error_itself(pair: tuple[Member, socket.socket]) -> None:
    member, _ = pair
    first, second = _given(member)
    error = TaskTimeoutError("late")
    member.end(error)
    assert member.is_gone()

    (failed, _) = member.leftovers()
    assert [done.task for done in failed] == [first, second]
    assert failed[0].error is error
    assert failed[1].error is not error
