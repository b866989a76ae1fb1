"""One worker of a pool, as its engine sees it: what it does, until when, and what is to come of it. Nothing here waits."""

import pickle
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto

from tvm.error import TaskTimeoutError
from tvm.support._pool import answers, processes
from tvm.support._pool.frames import Answer, Ask, Frame
from tvm.support._pool.processes import Process
from tvm.support._pool.tasks import Settings, Task, dumps, time_limit

# Seconds that the end of a worker may take before its parent sees to it by itself.
_END_LIMIT = 4.0
# Seconds: after quick tasks some are sent in advance; they are taken back when one takes longer than this.
_LONG = 0.02
# What comes from a worker whose initializer returned: its value is nobody's, and need not be one that can be sent.
_RETURNED = frozenset({Answer.COMPLETE, Answer.PLAIN, Answer.UNPICKLABLE})
# How many tasks a worker has at most.
_ADVANCE = 16


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
        # In the order of their start; the first one runs. Later ones may be taken back.
        self.tasks: deque[Task] = deque()
        self.deadline: float | None = None
        self.uses = 0
        # The error of whatever it was doing when it had to be ended.
        self.error: BaseException | None = None
        # Whether it came so far that it could be given a task.
        self.is_prepared = False
        self._settings = settings
        self._doing = ""
        self._blamed: Task | None = None
        self._begun_at = 0.0
        # Tasks were taken back: until it has answered one that was sent after that it must get no permits, which it could use for those.
        self._is_recalled = self._is_past_recall = False
        self._is_quick = False
        self._wait(settings.start_timeout)
        self._put(Ask.SETUP, pickle.dumps(processes.search_path()))
        self.is_sending = self.flush()

    def room(self) -> int:
        """Return how many tasks it can take now: one, or if its tasks are quick a few in advance."""
        if self.state not in {State.IDLE, State.RUNNING, State.LOADING} or len(self.tasks) > _ADVANCE // 2:
            return 0
        settings = self._settings
        may = self.process.takes_advance and not settings.maximum_memory
        if not may or not self._is_quick or self._is_recalled:
            return int(self.state is State.IDLE)
        left = settings.maximum_uses - self.uses if settings.maximum_uses else _ADVANCE
        return min(_ADVANCE - len(self.tasks), max(left, int(self.state is State.IDLE)))

    def give(self, tasks: Sequence[Task]) -> None:
        """Send it tasks, no more than it has room for."""
        first = 0
        if self.state is State.IDLE:
            self._start(tasks[0])
            self._is_past_recall = self._is_recalled
            first = 1
        if len(tasks) > first:
            self.process.permit(len(tasks) - first)
        for task in tasks[first:]:
            self._put(Ask.NEXT_TASK if task.timeout is None else Ask.NEXT_TIMED_TASK, task.body)
        self.tasks += tasks
        self.uses += len(tasks)
        self.is_sending = self.flush()

    def _start(self, task: Task) -> None:
        if task.timeout is None:
            self.state = State.RUNNING
            self._begun_at = time.monotonic()
            self._put(Ask.TASK, task.body)
        else:
            # What the task needs is loaded before its time begins.
            self.state = State.LOADING
            self._begun_at = self._wait(self._settings.start_timeout)
            self._put(Ask.TIMED_TASK, task.body)

    def is_supplied(self) -> bool:
        """Tell whether it has so many quick tasks that it will not wait for more in the next moment."""
        return self._is_quick and len(self.tasks) > _ADVANCE // 2

    def recall(self) -> list[Task]:
        """Take back what it has not started, because what it runs turns out to be long."""
        count = self.process.recall(len(self.tasks) - 1)
        self._is_recalled, self._is_quick = True, False
        self.uses -= count
        taken = [self.tasks.pop() for _ in range(count)]
        return taken[::-1]

    def recall_at(self) -> float | None:
        """Return when to take back what it has not started, on the monotonic clock."""
        may = self.state in {State.RUNNING, State.LOADING} and len(self.tasks) > 1 and not self._is_recalled
        return self._begun_at + _LONG if may else None

    def _wait(self, seconds: float | None) -> float:
        now = time.monotonic()
        self.deadline = None if seconds is None else now + seconds
        return now

    def _put(self, kind: Ask, body: bytes) -> None:
        self.process.channel.put(kind, body)

    def flush(self) -> bool:
        """Send what is left, as much as goes; tell whether there is more."""
        try:
            self.is_sending = not self.process.channel.flush()
        except OSError:
            # The end of the stream is seen next.
            self.is_sending = False
        return self.is_sending

    def receive(self) -> Iterator[Done]:
        """Take what came, and give what is done."""
        try:
            for frame in self.process.channel.receive():
                yield from self._take(frame)
        except (EOFError, OSError):
            self.end(None)

    def _take(self, frame: Frame) -> Iterator[Done]:
        if frame.kind == Answer.STARTED:
            self._begin(frame)
        elif self.tasks:
            task = self.tasks.popleft()
            self._is_quick = frame.is_quick
            if self._is_past_recall:
                self._is_recalled = self._is_past_recall = False
            self._rest(time.monotonic())
            yield Done(task=task, answer=frame)
        elif self.state is not State.ENDING:
            self._prepare(frame)

    def _begin(self, frame: Frame) -> None:
        # The worker's clock is this one, but what it says is not trusted further than can be told here.
        self._begun_at = min(max(frame.clock, self._begun_at), time.monotonic())
        if self.state is not State.ENDING:
            self.state = State.RUNNING
            timeout = self.tasks[0].timeout
            self.deadline = None if timeout is None else self._begun_at + timeout

    def _prepare(self, frame: Frame) -> None:
        try:
            if frame.kind not in _RETURNED:
                answers.value_of(frame)
            if self.state is State.STARTING and self._settings.initializer is not None:
                self._initialize()
            else:
                self.is_prepared = True
                self._rest(0.0)
        except BaseException as error:  # noqa: BLE001 - of the initializer, and for those who wait
            self.end(error)

    def _initialize(self) -> None:
        self.state = State.INITIALIZING
        self._wait(time_limit(self._settings.initializer_timeout))
        initializer = self._settings.initializer
        if initializer is not None:
            self._put(Ask.TASK, dumps(initializer, self._settings.initargs, {}))
            self.is_sending = self.flush()

    def _rest(self, now: float) -> None:
        if self.state is State.ENDING:
            return
        self._begun_at = now
        self.deadline = None
        if not self.tasks:
            self.state = State.IDLE
        elif self.tasks[0].timeout is not None:
            self.state = State.LOADING
            self._wait(self._settings.start_timeout)

    def is_worn(self) -> bool:
        """Tell whether another process shall do the next task."""
        uses, memory = self._settings.maximum_uses, self._settings.maximum_memory
        return bool((uses and self.uses >= uses) or (memory and self.uses and _memory(self.process.pid) > memory))

    def overrun(self) -> None:
        """End it: its deadline is over."""
        settings, task = self._settings, self.tasks[0] if self.tasks else None
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
            # Where it ended by itself, its last words tell which task it was at.
            self._blamed = self.tasks[0] if self.tasks and error is not None else None
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
        return True

    def last_words(self) -> list[Done]:
        """Return what it had still answered before it ended."""
        done: list[Done] = []
        with suppress(EOFError, OSError):
            while frames := list(self.process.channel.receive()):
                done += [one for frame in frames for one in self._take(frame)]
        return done

    def leftovers(self) -> tuple[list[Done], list[Task]]:
        """Return what becomes of its tasks when it is gone: those that it may have started fail, the others can be given to another one."""
        started = len(self.tasks) - (self.process.recall(len(self.tasks)) if self.tasks else 0)
        left = list(self.tasks)
        self.tasks.clear()
        blamed = self._blamed or next(iter(left), None)
        failed = [
            Done(task=task, error=self.error if task is blamed else answers.caught_up()) for task in left[:started]
        ]
        return failed, left[started:]


def _memory(pid: int) -> int:
    import psutil  # noqa: PLC0415 - only where a limit is set

    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.Error:
        return 0
