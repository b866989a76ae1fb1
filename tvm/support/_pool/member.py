"""One worker of a pool, as its engine sees it: what it does, until when, and what is to come of it. Nothing here waits."""

import pickle
import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from tvm.error import TaskTimeoutError
from tvm.support._pool import answers, processes
from tvm.support._pool.frames import Answer, Ask, Frame
from tvm.support._pool.processes import Process
from tvm.support._pool.tasks import Settings, Task, dumps, time_limit

# Seconds that the end of a worker may take before its parent sees to it by itself.
_END_LIMIT = 4.0


class State(Enum):
    """What a worker does."""

    STARTING = auto()
    INITIALIZING = auto()
    IDLE = auto()
    LOADING = auto()
    RUNNING = auto()
    ENDING = auto()


_DOING = {
    State.STARTING: "was starting",
    State.INITIALIZING: "ran its initializer",
    State.IDLE: "had nothing to do",
    State.LOADING: "ran a task",
    State.RUNNING: "ran a task",
}


@dataclass(frozen=True, kw_only=True)
class Done:
    """What came of a task: an answer, or an error."""

    task: Task
    answer: Frame | None = None
    error: BaseException | None = None


class Member:
    """One worker process from its start to its end."""

    def __init__(self, process: Process, settings: Settings) -> None:
        self.process = process
        self.state = State.STARTING
        self.task: Task | None = None
        self.deadline: float | None = None
        self.uses = 0
        # The error of whatever it was doing when it had to be ended.
        self.error: BaseException | None = None
        # Whether it came so far that it could be given a task.
        self.is_prepared = False
        self._settings = settings
        self._doing = ""
        self._sent_at = 0.0
        self._wait(settings.start_timeout)
        self.is_sending = not self._send(Ask.SETUP, pickle.dumps(processes.search_path()))

    def give(self, task: Task) -> None:
        """Send it a task."""
        self.task = task
        self.uses += 1
        if task.timeout is None:
            self.state = State.RUNNING
            self.is_sending = not self._send(Ask.TASK, task.body)
        else:
            # What the task needs is loaded before its time begins.
            self.state = State.LOADING
            self._sent_at = self._wait(self._settings.start_timeout)
            self.is_sending = not self._send(Ask.TIMED_TASK, task.body)

    def _wait(self, seconds: float | None) -> float:
        now = time.monotonic()
        self.deadline = None if seconds is None else now + seconds
        return now

    def _send(self, kind: Ask, body: bytes) -> bool:
        try:
            return self.process.channel.send(kind, body)
        except OSError:
            # The end of the stream is seen next.
            return True

    def flush(self) -> None:
        """Send what is left."""
        try:
            self.is_sending = not self.process.channel.flush()
        except OSError:
            self.is_sending = False

    def receive(self) -> Iterator[Done]:
        """Take what came, and give what is done."""
        try:
            for frame in self.process.channel.receive():
                yield from self._take(frame)
        except (EOFError, OSError):
            self.end(None)

    def _take(self, frame: Frame) -> Iterator[Done]:
        if self.state is State.ENDING:
            return
        if frame.kind == Answer.STARTED:
            self._begin(frame)
        elif self.task is not None:
            task, self.task = self.task, None
            self._rest()
            yield Done(task=task, answer=frame)
        else:
            self._prepare(frame)

    def _begin(self, frame: Frame) -> None:
        if self.task is not None and self.task.timeout is not None:
            self.state = State.RUNNING
            # The worker's clock is this one, but what it says is not trusted further than can be told here.
            at = min(max(frame.clock, self._sent_at), time.monotonic())
            self.deadline = at + self.task.timeout

    def _prepare(self, frame: Frame) -> None:
        try:
            answers.value_of(frame)
        except BaseException as error:  # noqa: BLE001 - of the initializer, and for those who wait
            self.end(error)
            return
        if self.state is State.STARTING and self._settings.initializer is not None:
            self.state = State.INITIALIZING
            self._wait(time_limit(self._settings.initializer_timeout))
            try:
                body = dumps(self._settings.initializer, self._settings.initargs, {})
            except Exception as error:  # noqa: BLE001 - as above
                self.end(error)
                return
            self.is_sending = not self._send(Ask.TASK, body)
        else:
            self._rest()

    def _rest(self) -> None:
        self.state = State.IDLE
        self.is_prepared = True
        self.deadline = None

    def is_worn(self) -> bool:
        """Tell whether another process shall do the next task."""
        uses, memory = self._settings.maximum_uses, self._settings.maximum_memory
        return bool((uses and self.uses >= uses) or (memory and self.uses and _memory(self.process.pid) > memory))

    def overrun(self) -> None:
        """End it: its deadline is over."""
        settings, task = self._settings, self.task
        match self.state:
            case State.RUNNING if task is not None and task.timeout is not None:
                msg = f"the task ran longer than its limit of {task.timeout:g} s; it was ended with all that it had started"
            case State.LOADING:
                msg = f"the worker loaded the task for longer than {settings.start_timeout:g} s (start_timeout), and was ended"
            case State.INITIALIZING:
                msg = f"the initializer ran longer than {settings.initializer_timeout:g} s (initializer_timeout)"
            case _:
                msg = f"the worker did not start within {settings.start_timeout:g} s (start_timeout)"
        self.end(TaskTimeoutError(msg))

    def end(self, error: BaseException | None) -> None:
        """Have it ended with all that it started; `error` is why, None when it is gone already."""
        if self.state is not State.ENDING:
            self._doing = _DOING[self.state]
            self.state = State.ENDING
            self.error = error
            self.process.kill()
            self._wait(_END_LIMIT)

    def finish(self) -> None:
        """Let it end itself: it is idle."""
        self._doing = _DOING[self.state]
        self.state = State.ENDING
        self.process.finish()
        self._wait(_END_LIMIT)

    def is_gone(self) -> bool:
        """Tell whether the process is gone, with all that it had started; see to it when that takes too long."""
        late = self.deadline is not None and self.deadline <= time.monotonic()
        ending = self.process.ended(force=late and self.state is State.ENDING)
        if ending is None:
            return False
        if self.state is not State.ENDING:
            self.end(None)
        if self.error is None:
            self.error = answers.death(ending, doing=self._doing)
        self.process.close()
        return True


def _memory(pid: int) -> int:
    import psutil  # noqa: PLC0415 - only where a limit is set

    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.Error:
        return 0
