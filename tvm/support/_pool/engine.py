"""The thread of a pool: it gives tasks to workers, watches their clocks and takes their answers. It runs nobody else's code."""

import os
import pickle
import socket
import threading
import time
import weakref
from collections import deque
from collections.abc import Iterator
from concurrent.futures import InvalidStateError
from contextlib import suppress
from functools import partial
from typing import Any

from tvm.error import PoolError
from tvm.support._pool import answers, processes
from tvm.support._pool.frames import Answer
from tvm.support._pool.member import Done, Member, State
from tvm.support._pool.poll import poll
from tvm.support._pool.processes import Launcher
from tvm.support._pool.tasks import Aside, PoolFuture, Settings, Task

# Seconds that the interpreter's exit waits for killed processes to be gone.
_EXIT_LIMIT = 3.0
# What is larger takes a moment to load.
_LARGE = 1 << 16
# Seconds; workers with quick tasks have some in advance for longer than that.
_GATHER = 0.0002
# Seconds between looks whether a thread has ended.
_LOOK = 0.05


class Engine:
    """What a pool consists of but the pool itself, which the collector can so take at any time."""

    def __init__(self, settings: Settings, launcher: Launcher, count: int) -> None:
        self._settings, self._launcher, self._count = settings, launcher, count
        self._tasks: deque[Task] = deque()
        # Taken back from workers: their futures are running already.
        self._again: deque[Task] = deque()
        self._lock = threading.Lock()
        self._bell: socket.socket | None = None
        self._asleep = False
        self._closed = False
        self._killed = False
        # How many more workers may be started; None is no limit.
        self._starts: int | None = None
        # Who waits for the end of all workers; none is started until then.
        self._end_wanted: deque[threading.Event] = deque()
        self._owner = os.getpid()
        self._loading, self._calling = Aside("tvm-pool-loading"), Aside("tvm-pool-callbacks")
        self._poll = poll()
        self.thread: threading.Thread | None = None
        self.members: list[Member] = []

    # -- from any thread

    def future(self) -> PoolFuture:
        """Return a future for a task of this pool."""
        return PoolFuture(self._is_needed, self._calling.put)

    def _is_needed(self) -> bool:
        return threading.current_thread() in {self.thread, self._loading.thread}

    def is_in_use(self) -> bool:
        """Tell whether there is a worker, or will be one for what is queued."""
        return bool(self.members) or self._has_tasks()

    def submit(self, task: Task) -> None:
        """Queue a task. RuntimeError after `close`, PoolError in a forked child."""
        if self._owner != os.getpid():
            msg = "this pool belongs to the process that made it, not to a forked child"
            raise PoolError(msg, fix="make a pool in the child")
        with self._lock:
            if self._closed:
                msg = "cannot schedule new futures after shutdown"
                raise RuntimeError(msg)
            if self.thread is None:
                self._start()
            self._tasks.append(task)
        if self._asleep:
            self.wake()

    def _start(self) -> None:
        _ALIVE.add(self)
        self._launcher.prepare()
        woken, self._bell = socket.socketpair()
        woken.setblocking(False)  # noqa: FBT003 - the system's signature
        self._bell.setblocking(False)  # noqa: FBT003 - as above
        # A daemon: the interpreter's exit does not wait for a task.
        self.thread = threading.Thread(target=self._run, args=(woken,), name="tvm-pool", daemon=True)
        try:
            self.thread.start()
        except BaseException:
            # No room for a thread: the next task tries again, and nobody waits for one that never ran.
            self.thread = None
            self._launcher.close(_EXIT_LIMIT)
            woken.close()
            self._bell.close()
            raise

    def wake(self) -> None:
        """Make the thread look around."""
        if self._bell is not None:
            with suppress(OSError):
                self._bell.send(b"w")

    def close(self, *, cancel: bool, restart: bool) -> None:
        """Accept no more tasks and end when the queued ones are done; `cancel` drops those. Without `restart` no worker is started again."""
        if self._owner != os.getpid():
            return
        with self._lock:
            self._closed = True
            if not restart and self._starts is None:
                # What is about to end anyway was to be followed by another one before this.
                self._starts = self._count - sum(member.state is not State.ENDING for member in list(self.members))
        if cancel:
            self._cancel_queued()
        self.wake()

    def _cancel_queued(self) -> None:
        # Not under the lock: this runs callbacks, and they may use the pool.
        while self._tasks:
            with suppress(IndexError):
                self._tasks.popleft().future.cancel()

    def kill(self) -> None:
        """End all workers now, whatever they do, and accept no more tasks."""
        self._killed = True
        self.close(cancel=True, restart=False)

    def end_members(self) -> None:
        """End all workers now, and their supervisor; more tasks are welcome. Returns when they are gone."""
        self._cancel_queued()
        with self._lock:
            thread = self.thread
        if thread is None:
            return
        ended = threading.Event()
        self._end_wanted.append(ended)
        self.wake()
        while thread.is_alive() and not ended.wait(_LOOK):
            pass

    def forsake(self, *, kill: bool) -> None:
        """Accept no more tasks and end when the queued ones are done, or now. The collector calls this, in any thread: nothing is locked."""
        if self._owner == os.getpid():
            self._closed, self._killed = True, self._killed or kill
            self.wake()

    def join(self, deadline: float | None = None) -> None:
        """Wait until all is over, not longer than to the deadline."""
        for thread in self._threads():
            if thread is not None and thread is not threading.current_thread():
                thread.join(None if deadline is None else max(0.0, deadline - time.monotonic()))

    def _threads(self) -> Iterator[threading.Thread | None]:
        # One by one: each may start the next.
        yield self.thread
        yield self._loading.thread
        yield self._calling.thread

    def __del__(self) -> None:
        # Not earlier: another thread may be about to use it.
        if self._bell is not None:
            self._bell.close()

    # -- in the thread

    def _run(self, woken: socket.socket) -> None:
        self._poll.register(woken.fileno())
        try:
            while not self._is_over():
                self._turn(woken)
        except BaseException as error:  # noqa: BLE001 - whatever it is, nobody must wait for ever
            self._collapse(error)
        finally:
            self._launcher.close(_EXIT_LIMIT)
            self._close_asides()
            woken.close()

    def _close_asides(self) -> None:
        if self._loading.thread is None:
            self._calling.close()
        else:
            # What is loaded until then has callbacks too.
            self._loading.put(self._calling.close)
            self._loading.close()

    def _collapse(self, error: BaseException) -> None:
        with self._lock:
            self._closed = True
        for member in self.members:
            member.process.kill()
            for task in member.tasks:
                self._deliver(Done(task=task, error=error))
            member.process.close()
        self.members.clear()
        self._fail_queued(error)

    def _is_over(self) -> bool:
        return self._closed and not self._has_tasks() and not self.members

    def _has_tasks(self) -> bool:
        return bool(self._tasks or self._again)

    def _turn(self, woken: socket.socket) -> None:
        self._assign()
        self._asleep = True
        if any(member.is_supplied() for member in self.members):
            # Nobody waits for this thread: answers gather, and it and who waits for them wake less often.
            time.sleep(_GATHER)
        # What was queued before this saw nobody asleep.
        ready = self._poll.wait(0.0 if self._tasks and (self._has_room() or self._wants_worker()) else self._pause())
        self._asleep = False
        if woken.fileno() in ready:
            with suppress(BlockingIOError):
                woken.recv(4096)
        self._end_unwanted()
        for member in list(self.members):
            if member.process.channel.fileno() in ready:
                self._serve(member)
            if member.process.line_fileno() in ready or member.state is State.ENDING:
                self._look_at_end(member)
        self._watch_clocks()

    def _has_room(self) -> bool:
        return any(member.state is State.IDLE for member in self.members)

    def _pause(self) -> float | None:
        times = [member.deadline for member in self.members] + [member.recall_at() for member in self.members]
        known = [at for at in times if at is not None]
        return max(0.0, min(known) - time.monotonic()) if known else None

    def _end_unwanted(self) -> None:
        if self._killed or self._end_wanted:
            for member in self.members:
                self._end_on_request(member)
            while self._again:
                self._deliver(Done(task=self._again.popleft(), error=answers.killed()))

    def _end_on_request(self, member: Member) -> None:
        if member.state is not State.ENDING:
            for task in member.recall() if len(member.tasks) > 1 else ():
                self._deliver(Done(task=task, error=answers.killed()))
            member.end(answers.killed())

    def _assign(self) -> None:
        for member in self.members:
            if member.state is State.IDLE:
                self._employ(member)
        if self._end_wanted:
            self._tell_of_end()
            return
        while self._wants_worker():
            self._launch()
        if self._has_tasks() and not self.members:
            self._fail_queued(PoolError("the pool was shut down, and its workers are gone: none is started any more"))

    def _tell_of_end(self) -> None:
        if not self.members:
            self._launcher.close(_EXIT_LIMIT)
            while self._end_wanted:
                self._end_wanted.popleft().set()
            self.wake()

    def _employ(self, member: Member) -> None:
        """Give a worker what it can take; end it if it is worn, or if there will be nothing any more."""
        room = member.room()
        if not room:
            return
        if member.state is State.IDLE and self._starts is None and member.is_worn():
            member.finish()
            return
        # In advance, but not so that others have nothing to do.
        fair = max(1, (len(self._tasks) + len(self._again)) // (2 * self._count))
        tasks = [task for _ in range(min(room, fair)) if (task := self._next()) is not None]
        if tasks:
            # Until it has them they are in neither list, and must not be lost whatever happens.
            self._again.extendleft(reversed(tasks))
            member.give(tasks)
            for _ in tasks:
                self._again.popleft()
            self._poll.sending(member.process.channel.fileno(), on=member.is_sending)
        elif self._closed and member.state is State.IDLE:
            member.finish()

    def _next(self) -> Task | None:
        if self._again:
            return self._again.popleft()
        while self._tasks:
            with suppress(IndexError):
                task = self._tasks.popleft()
                if task.future.set_running_or_notify_cancel():
                    return task
        return None

    def _wants_worker(self) -> bool:
        """Tell whether there are more tasks than workers about to take one, and another worker may be started."""
        if self._end_wanted or len(self.members) >= self._count or (self._starts is not None and self._starts <= 0):
            return False
        starting = sum(not member.is_prepared and member.state is not State.ENDING for member in self.members)
        return len(self._tasks) + len(self._again) > starting

    def _launch(self) -> None:
        settings = self._settings
        if self._starts is not None:
            self._starts -= 1
        try:
            command = processes.command(stdout=settings.stdout, stderr=settings.stderr, autoload=settings.autoload)
            member = Member(self._launcher.launch(command), settings)
        except Exception as error:  # noqa: BLE001 - whatever it is, it belongs to who waits
            self._fail_one(error)
            return
        self.members.append(member)
        self._poll.register(member.process.channel.fileno())
        self._poll.sending(member.process.channel.fileno(), on=member.is_sending)
        self._poll.register(member.process.line_fileno())

    def _serve(self, member: Member) -> None:
        if member.is_sending:
            member.flush()
        done = list(member.receive())
        # It gets its next tasks before anybody is told of the last ones.
        if done:
            self._employ(member)
        # An initializer may have been sent, and not have gone as a whole.
        self._poll.sending(member.process.channel.fileno(), on=member.is_sending)
        for one in done:
            self._deliver(one)
        if member.state is State.ENDING:
            self._poll.unregister(member.process.channel.fileno())

    def _look_at_end(self, member: Member) -> None:
        channel, line = member.process.channel.fileno(), member.process.line_fileno()
        if not member.is_gone():
            return
        for done in member.last_words():
            self._deliver(done)
        failed, again = member.leftovers()
        self._again.extendleft(reversed(again))
        for done in failed:
            self._deliver(done)
        self._poll.unregister(channel)
        self._poll.unregister(line)
        self.members.remove(member)
        member.process.close()
        if member.error is not None and not member.is_prepared:
            # It never came so far as to be given one, and the next one may not either: nobody must wait for ever.
            self._fail_one(member.error)

    def _watch_clocks(self) -> None:
        now = time.monotonic()
        for member in list(self.members):
            recall_at = member.recall_at()
            if member.deadline is not None and member.deadline <= now:
                self._overrun(member)
            elif recall_at is not None and recall_at <= now:
                self._again.extendleft(reversed(member.recall()))

    def _overrun(self, member: Member) -> None:
        if member.state is State.ENDING:
            self._look_at_end(member)
        else:
            member.overrun()
            self._poll.unregister(member.process.channel.fileno())

    def _deliver(self, done: Done) -> None:
        with suppress(InvalidStateError):
            self._settle(done.task.future, done)

    def _settle(self, future: Any, done: Done) -> None:
        if done.error is not None:
            future.set_exception(done.error)
        elif done.task.raw:
            future.set_result(done.answer)
        elif done.answer is not None and done.answer.kind == Answer.PLAIN and len(done.answer.body) <= _LARGE:
            future.set_result(pickle.loads(done.answer.body))  # noqa: S301 - our own worker wrote it
        elif done.answer is not None:
            self._loading.put(partial(_load, future, done.answer))

    def _fail_one(self, error: BaseException) -> None:
        if (task := self._next()) is not None:
            self._deliver(Done(task=task, error=error))

    def _fail_queued(self, error: BaseException) -> None:
        while self._has_tasks():
            self._fail_one(error)


def _load(future: Any, answer: Any) -> None:
    try:
        value = answers.value_of(answer)
    except BaseException as error:  # noqa: BLE001 - whatever the task raised belongs to who waits for it
        future.set_exception(error)
    else:
        future.set_result(value)


_ALIVE: "weakref.WeakSet[Engine]" = weakref.WeakSet()


def end_all() -> None:
    """End every pool of this process. The interpreter's exit calls this."""
    engines = [engine for engine in list(_ALIVE) if engine.thread is not None and engine.thread.is_alive()]
    for engine in engines:
        engine.kill()
    deadline = time.monotonic() + _EXIT_LIMIT
    for engine in engines:
        engine.join(deadline)
