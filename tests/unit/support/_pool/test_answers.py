import pickle
import signal

import pytest

from tvm.error import PoolError, RemoteTaskError
from tvm.exec import popen_worker
from tvm.support._pool import answers, frames
from tvm.support._pool.frames import Answer, Frame
from tvm.support._pool.processes import Ending


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
