"""Worker processes on Windows: each is in a job of its own, which ends with its last handle, that is with this process.

What a task starts is in the job too, so there is no supervisor. A worker gets its socket through stdin.
"""

import ctypes
import os
import socket
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from operator import attrgetter
from pathlib import Path
from typing import Protocol

from tvm.error import PoolError
from tvm.support import process
from tvm.support._pool import supervisor
from tvm.support._pool.frames import Channel
from tvm.support._pool.processes import TEMP_VARIABLE, Command, Ending, descriptor_of, make_folder

_EXTENDED_LIMITS = 9
_KILL_ON_JOB_CLOSE = 0x2000
# Seconds that an ended job's process may take to be gone.
_PATIENCE = 2.0


class _BasicLimits(ctypes.Structure):
    _fields_ = (
        ("process_time", ctypes.c_int64),
        ("job_time", ctypes.c_int64),
        ("flags", ctypes.c_uint32),
        ("least_working_set", ctypes.c_size_t),
        ("most_working_set", ctypes.c_size_t),
        ("processes", ctypes.c_uint32),
        ("affinity", ctypes.c_size_t),
        ("priority", ctypes.c_uint32),
        ("scheduling", ctypes.c_uint32),
    )


class _Limits(ctypes.Structure):
    _fields_ = (
        ("basic", _BasicLimits),
        ("transfers", ctypes.c_uint64 * 6),
        ("process_memory", ctypes.c_size_t),
        ("job_memory", ctypes.c_size_t),
        ("peak_process_memory", ctypes.c_size_t),
        ("peak_job_memory", ctypes.c_size_t),
    )


class Kernel(Protocol):
    """The functions of kernel32 that are used, each of them 0 for a failure."""

    def CreateJobObjectW(self, attributes: None, name: None, /) -> int:  # noqa: N802 - the system's name
        ...

    def SetInformationJobObject(self, job: ctypes.c_void_p, kind: int, limits: object, size: int, /) -> int:  # noqa: N802
        ...

    def AssignProcessToJobObject(self, job: ctypes.c_void_p, process: ctypes.c_void_p, /) -> int:  # noqa: N802
        ...

    def TerminateJobObject(self, job: ctypes.c_void_p, code: int, /) -> int:  # noqa: N802
        ...

    def CloseHandle(self, handle: ctypes.c_void_p, /) -> int:  # noqa: N802
        ...


class Job:
    """A job that ends all its processes when it is closed."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._handle = ctypes.c_void_p(kernel.CreateJobObjectW(None, None))
        msg = "the system gives no job for a worker"
        if not self._handle.value:
            raise PoolError(msg)
        limits = _Limits()
        limits.basic.flags = _KILL_ON_JOB_CLOSE
        done = kernel.SetInformationJobObject(
            self._handle, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)
        )
        if not done:
            self.close()
            raise PoolError(msg)

    def add(self, handle: int) -> None:
        """Put a process into it, and all that this will start."""
        if not self._kernel.AssignProcessToJobObject(self._handle, ctypes.c_void_p(handle)):
            msg = "a worker cannot be put into its job"
            raise PoolError(msg, fix="is this process in a job that allows no other ones?")

    def end(self) -> None:
        """End all that is in it."""
        self._kernel.TerminateJobObject(self._handle, 1)

    def close(self) -> None:
        """Close it; that ends what is still in it."""
        self._kernel.CloseHandle(self._handle)


class WindowsProcess:
    """A worker in its job."""

    takes_advance = False

    def __init__(
        self, channel: socket.socket, child: "process.Companion[bytes]", job: Job, *, folder: str, name: str
    ) -> None:
        self.channel = Channel(channel)
        self._child, self._job = child, job
        self._folder, self._name = folder, name
        self._line, told = socket.socketpair()
        threading.Thread(target=self._watch, args=(told,), name="tvm-pool-watch", daemon=True).start()

    def _watch(self, line: socket.socket) -> None:
        # Only sockets can be polled here: this one says that the process has ended.
        self._child.wait()
        line.close()

    @property
    def pid(self) -> int:
        """Its number."""
        return self._child.pid

    def line_fileno(self) -> int:
        """Return the descriptor that can be read when its end is known."""
        return self._line.fileno()

    def permit(self, count: int) -> None:
        """Nothing is sent in advance here."""

    def recall(self, _count: int) -> int:
        """Nothing is sent in advance here."""
        return 0

    def kill(self) -> None:
        """End it, and all that it has started."""
        self._job.end()

    def finish(self) -> None:
        """Let it end itself; `ended` sees to it when it does not."""
        self.channel.shut()

    def ended(self, *, force: bool) -> Ending | None:
        """Return how it ended once it is gone with all that it had started."""
        code = self._child.poll()
        if code is None and not force:
            return None
        self._job.end()
        with suppress(process.TimeoutExpired):
            code = self._child.wait(_PATIENCE)
        supervisor.clear(self._folder, self._name)
        return Ending(code=code)

    def close(self) -> None:
        """Give back what this process holds of it, which ends what is still running."""
        self.channel.close()
        self._line.close()
        self._job.close()


def _share(own: socket.socket, pid: int) -> bytes:
    # Inherited from the class in C, and not there on other systems.
    share: Callable[[int], bytes] = attrgetter("share")(own)
    return share(pid)


def _direct(argv: Sequence[str], environment: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """Return command and environment with the interpreter itself: a virtual environment's python.exe starts it as a second process.

    The socket would be shared with the first one. multiprocessing does the same.
    """
    base = str(vars(sys).get("_base_executable") or argv[0])
    if os.path.normcase(base) == os.path.normcase(argv[0]):
        return list(argv), dict(environment)
    return [base, *argv[1:]], {**environment, "__PYVENV_LAUNCHER__": argv[0]}


class WindowsLauncher:
    """Starts the workers of one pool."""

    def __init__(
        self,
        kernel: Callable[[], Kernel] | None = None,
        share: Callable[[socket.socket, int], bytes] = _share,
        handle_of: Callable[["process.Companion[bytes]"], int] | None = None,
    ) -> None:
        self._kernel = kernel or (lambda: ctypes.CDLL("kernel32"))
        self._share = share
        self._handle_of = handle_of or (lambda child: int(vars(child)["_handle"]))
        self._folder = make_folder()
        self._made = 0

    def prepare(self) -> None:
        """There is nothing to start."""

    def launch(self, command: Command) -> WindowsProcess:
        """Start a worker."""
        self._made += 1
        name = str(self._made)
        channel, theirs = socket.socketpair()
        try:
            child, job = self._start(command, name, theirs)
        except BaseException:
            channel.close()
            supervisor.clear(self._folder, name)
            raise
        finally:
            theirs.close()
        return WindowsProcess(channel, child, job, folder=self._folder, name=name)

    def _start(self, command: Command, name: str, theirs: socket.socket) -> "tuple[process.Companion[bytes], Job]":
        job = Job(self._kernel())
        try:
            child = self._companion(command, name)
            try:
                # It can start nothing before it has the socket, and so nothing outside of the job.
                job.add(self._handle_of(child))
                if child.stdin is not None:
                    with child.stdin:
                        child.stdin.write(self._share(theirs, child.pid))
            except BaseException:
                if child.stdin is not None:
                    child.stdin.close()
                process.end_group(child)
                raise
        except BaseException:
            job.close()
            raise
        return child, job

    def _companion(self, command: Command, name: str) -> "process.Companion[bytes]":
        argv, environment = _direct(command.argv, {**command.environment, **self._temp(name)})
        opened = [descriptor_of(command.stdout, 1)]
        try:
            opened.append(opened[0] if command.stderr == process.STDOUT else descriptor_of(command.stderr, 2))
            return process.companion(
                [*argv, "--pool", "stdin"], env=environment, stdin=process.PIPE, stdout=opened[0], stderr=opened[1]
            )
        finally:
            for descriptor in set(opened):
                os.close(descriptor)

    def _temp(self, name: str) -> dict[str, str]:
        if not self._folder:
            # Names in it would be names in the root.
            return {}
        path = f"{self._folder}/{name}{supervisor.TASK_NUMBER_SEPARATOR}0"
        try:
            Path(path).mkdir(mode=0o700)
            os.utime(path, (0, 0))
        except OSError:
            return {}
        return {"TMPDIR": path, TEMP_VARIABLE: path}

    def close(self, _limit: float) -> None:
        """Remove the folder of temporary files if nothing of finished tasks is in it."""
        if self._folder:
            with suppress(OSError):
                Path(self._folder).rmdir()
