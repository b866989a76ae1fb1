import threading

import pytest

from tvm._journal import Journal
from tvm.backend._states import States


@pytest.fixture
def states() -> States:
    return States()


def test_what_is_begun_is_there_for_its_own_thread_alone(states: States) -> None:
    assert states.begin("a", Journal())
    seen: list[bool] = []
    thread = threading.Thread(target=lambda: seen.append(states.has("a")))
    thread.start()
    thread.join()
    assert [states.has("a"), *seen, states.names()] == [True, False, []]


def test_a_nested_load_is_committed_with_the_outer_one(states: States) -> None:
    journal = Journal()
    states.begin("outer", journal)
    states.begin("inner", journal)
    states.finish("inner")
    assert states.names() == []
    states.finish("outer")
    assert states.names() == ["outer", "inner"]


def test_a_rollback_forgets_what_was_begun_after_the_mark(states: States) -> None:
    journal = Journal()
    states.begin("outer", journal)
    mark = journal.mark()
    states.begin("inner", journal)
    journal.rollback(mark)
    assert [states.has("outer"), states.has("inner")] == [True, False]
    journal.rollback()
    assert not states.has("outer")


def test_a_rollback_forgets_what_is_committed_already(states: States) -> None:
    journal = Journal()
    states.begin("a", journal)
    states.finish("a")
    journal.rollback()
    assert states.names() == []


def test_a_second_begin_in_one_thread_has_nothing_to_do(states: States) -> None:
    assert states.begin("a", Journal())
    assert not states.begin("a", Journal())


@pytest.mark.parametrize("commit", [True, False])
def test_another_thread_waits_for_the_end(*, commit: bool, states: States) -> None:
    """It has nothing to do if the backend is loaded then, else the load is its own."""
    journal = Journal()
    states.begin("a", journal)
    result: list[bool] = []
    thread = threading.Thread(target=lambda: result.append(states.begin("a", Journal())))
    thread.start()
    thread.join(0.05)
    assert (thread.is_alive(), result) == (True, [])
    states.finish("a") if commit else journal.rollback()
    thread.join(20)
    assert result == [not commit]


def test_three_threads_that_wait_in_a_circle_do_not_wait_for_ever(states: States) -> None:
    names = ("a", "b", "c")
    all_begun = threading.Barrier(3)
    answers: list[bool] = []

    def run(own: str, other: str) -> None:
        states.begin(own, Journal())
        all_begun.wait(20)
        answers.append(states.begin(other, Journal()))
        states.finish(own)

    threads = [threading.Thread(target=run, args=pair) for pair in zip(names, (*names[1:], names[0]), strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert (sorted(states.names()), answers) == (["a", "b", "c"], [False] * 3)
