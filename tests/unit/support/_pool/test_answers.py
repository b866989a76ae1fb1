import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.unit.support import pool_jobs as jobs
from tvm.error import (
    PoolError,
    RemoteTaskError,
    ResultError,
    TaskExitError,
    TaskInterruptedError,
    TaskLoadError,
    TaskTimeoutError,
    WorkerDiedError,
)
from tvm.exec import popen_worker
from tvm.support._pool import answers, frames
from tvm.support._pool.frames import Answer, Frame
from tvm.support._pool.processes import Ending
from tvm.support.popen_pool import PopenWorker

pytestmark = pytest.mark.usefixtures("no_process_is_left")

# A limit that no test reaches.
_LONG = 60.0


def _error(call: Callable[[], object]) -> BaseException:
    with pytest.raises(BaseException) as caught:  # noqa: PT011 - the caller looks at it
        call()
    return caught.value


class TestErrors:
    @pytest.mark.parametrize(
        "error",
        [
            KeyError("k"),
            ValueError(1, "two"),
            FileNotFoundError(2, "No such file", "name"),
            UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"),
            subprocess.CalledProcessError(3, ["tool"], b"output"),
            StopIteration(5),
            GeneratorExit("g"),
            TimeoutError("of its own"),
        ],
        ids=lambda error: type(error).__name__,
    )
    def test_they_arrive_as_themselves(self, worker: PopenWorker, error: BaseException) -> None:
        worker.send(jobs.fail, (error,))
        came = _error(worker.recv)

        assert type(came) is type(error)
        assert came.args == error.args
        assert str(came) == str(error)
        assert {**vars(came), "__notes__": []} == {**vars(error), "__notes__": []}

    def test_attributes_of_the_system_s_errors(self, worker: PopenWorker) -> None:
        worker.send(open, ("/nonexistent/file",))
        came = _error(worker.recv)

        assert isinstance(came, FileNotFoundError)
        assert (came.errno, came.filename) == (2, "/nonexistent/file")

    def test_one_whose_constructor_wants_other_arguments(self, worker: PopenWorker) -> None:
        worker.send(os.getpid)
        before = worker.recv()
        worker.send(jobs.fail_with_two)
        came = _error(worker.recv)
        worker.send(os.getpid)

        assert type(came) is jobs.TwoArgumentsError
        assert (came.args, came.first, came.second, vars(came)["third"]) == (("1 and 2",), 1, 2, 3)
        assert repr(came.__cause__) == """ValueError("invalid literal for int() with base 10: 'x'")"""
        assert worker.recv() == before

    def test_the_worker_s_traceback_is_a_note(self, worker: PopenWorker) -> None:
        worker.send(jobs.fail_with_two)
        (note,) = vars(_error(worker.recv))["__notes__"]

        assert note.startswith("in the worker process:\nTraceback (most recent call last):\n")
        assert "in fail_with_two" in note
        assert "popen_worker" not in note

    def test_one_that_cannot_be_pickled_is_named(self, worker: PopenWorker) -> None:
        worker.send(jobs.fail_unpicklably)
        came = _error(worker.recv)

        assert isinstance(came, RemoteTaskError)
        assert came.type_name == "tests.unit.support.pool_jobs.UnpicklableError"
        assert came.text == "with a lock"
        assert "in fail_unpicklably" in vars(came)["__notes__"][0]

    def test_a_result_that_cannot_be_pickled(self, worker: PopenWorker) -> None:
        worker.send(jobs.lock)
        came = _error(worker.recv)

        assert isinstance(came, ResultError)
        assert "the result of the task, a _thread.lock, cannot be pickled" in str(came)
        assert isinstance(came.__cause__, TypeError)

    def test_a_result_that_cannot_be_loaded_here(self, worker: PopenWorker) -> None:
        worker.send(jobs.LoadsOnlyAtHome)

        with pytest.raises(ResultError, match="cannot be loaded here: ValueError: far from home"):
            worker.recv()

    def test_a_task_that_cannot_be_loaded_there(self, worker: PopenWorker) -> None:
        worker.send(jobs.identity, (jobs.LoadsOnlyAtHome(),))

        with pytest.raises(TaskLoadError, match="cannot load the task: ValueError: far from home"):
            worker.recv()

    def test_system_exit_ends_neither_worker_nor_parent(self, worker: PopenWorker) -> None:
        worker.send(os.getpid)
        before = worker.recv()
        worker.send(sys.exit, (3,))
        came = _error(worker.recv)
        worker.send(os.getpid)

        assert isinstance(came, TaskExitError)
        assert came.code == 3
        assert worker.recv() == before

    def test_keyboard_interrupt(self, worker: PopenWorker) -> None:
        worker.send(jobs.fail, (KeyboardInterrupt(),))

        with pytest.raises(TaskInterruptedError, match="raised KeyboardInterrupt"):
            worker.recv()

    @pytest.mark.parametrize(
        ("task", "args", "text"),
        [
            (os._exit, (7,), "exited while it ran a task: exit code 7"),
            (jobs.crash, (), r"ended by signal 11 \(SIGSEGV\)"),
            (os.abort, (), r"ended by signal 6 \(SIGABRT\)"),
            (jobs.kill_itself, (signal.SIGKILL,), r"ended by signal 9 \(SIGKILL\)[^\0]*did memory run out\?"),
            (jobs.kill_itself, (signal.SIGTERM,), r"ended by signal 15 \(SIGTERM\)"),
        ],
    )
    def test_a_worker_that_dies(
        self, worker: PopenWorker, task: Callable[..., object], args: tuple[object, ...], text: str
    ) -> None:
        worker.send(task, args)

        with pytest.raises(WorkerDiedError, match=text):
            worker.recv()
        worker.send(abs, (-1,))
        assert worker.recv() == 1

    def test_all_of_them_are_child_process_errors(self) -> None:
        for kind in (WorkerDiedError, TaskExitError, TaskInterruptedError, TaskLoadError, ResultError, RemoteTaskError):
            assert issubclass(kind, ChildProcessError)
        assert issubclass(TaskTimeoutError, TimeoutError)


def test_both_sides_mean_the_same_by_each_number() -> None:
    for kind in (*frames.Answer, *frames.Ask):
        assert getattr(popen_worker, kind.name) == kind


@pytest.mark.parametrize(
    ("ending", "text"),
    [
        (Ending(code=3), "the worker exited while it ran: exit code 3"),
        (Ending(code=None, why="no room"), "the worker was lost while it ran: no room"),
        (Ending(code=-signal.SIGTERM), "the worker was ended by signal 15 (SIGTERM) while it ran"),
        (Ending(code=-200), "the worker was ended by signal 200 while it ran"),
    ],
)
def test_how_a_worker_ended(ending: Ending, text: str) -> None:
    assert str(answers.death(ending, doing="ran")) == text


def test_a_kill_by_the_system_has_a_hint() -> None:
    assert "did memory run out?" in answers.death(Ending(code=-signal.SIGKILL), doing="ran").fix


def test_an_exception_whose_class_is_not_here_is_named() -> None:
    described = ("whole", b"cno_such_module\nNoError\n.", "no_such_module.NoError", "text", "trace", None, None, False)
    body = pickle.dumps(described)

    with pytest.raises(RemoteTaskError, match=r"raised no_such_module\.NoError, which cannot be sent here") as caught:
        answers.value_of(Frame(kind=Answer.EXCEPTION, body=body))
    assert (caught.value.type_name, caught.value.text) == ("no_such_module.NoError", "text")


def test_what_no_worker_sends() -> None:
    with pytest.raises(PoolError, match="does not send STARTED"):
        answers.value_of(Frame(kind=Answer.STARTED, body=pickle.dumps(None)))


def test_cause_and_context() -> None:
    error = ValueError("v")
    error.__cause__ = KeyError("cause")
    error.__context__ = IndexError("context")
    body = pickle.dumps(popen_worker.describe(error))

    with pytest.raises(ValueError, match="v") as caught:
        answers.value_of(Frame(kind=Answer.EXCEPTION, body=body))
    assert repr(caught.value.__cause__) == "KeyError('cause')"
    assert repr(caught.value.__context__) == "IndexError('context')"
    assert caught.value.__suppress_context__
