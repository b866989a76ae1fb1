import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from tests.unit.support import pool_jobs as jobs
from tvm.error import WorkerDiedError
from tvm.support._pool import answers, remote
from tvm.support._pool.tasks import Settings, dumps

pytestmark = pytest.mark.usefixtures("no_process_is_left")


def _run(settings: Settings, function: object, *args: object) -> remote.Reply:
    # A worker process ends with the thread that has it.
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(partial(remote.run, dumps(function, args, {}), 60.0, settings)).result()  # type: ignore[arg-type] # it is one


def test_a_result_is_sent_as_the_worker_gave_it() -> None:
    reply = _run(Settings(), abs, -1)

    assert reply.frame is not None
    assert answers.value_of(reply.frame) == 1


def test_an_error_of_the_pool() -> None:
    assert isinstance(_run(Settings(), os._exit, 3).error, WorkerDiedError)


def test_a_failed_initializer_is_the_error_of_the_task_as_in_a_local_pool() -> None:
    settings = Settings(initializer=jobs.fail, initargs=(KeyError("no"),))

    assert repr(_run(settings, abs, -1).error) == "KeyError('no')"
