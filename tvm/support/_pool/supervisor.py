"""The supervisor of a pool's workers: it starts them, ends them with all that they started, and outlives their parent by that.

`python -I -S supervisor.py CONTROL_FD PARENT_PID FOLDER`: run by file path, with the standard library alone; the parent
imports it too, for `end_trees`, should the supervisor be killed. Over the control socket comes what to start, with the descriptors of the
worker's own line, its channel, its permits, stdout, stderr and current directory. A line carries "pid N" and "ended STATUS" (or "failed WHY") to the parent,
and to here `k` (end it now), `e` (it is about to end itself; do it after a moment) or its close, which means `k`.

Each worker is made a subreaper: what a task leaves behind as a daemon stays in the worker's tree. Then the tree is stopped,
listed until nothing new is in it, and killed; it cannot outrun that, and no number of a dead process is signalled.
"""

import _socket  # `socket` takes longer to load than all the rest
import ctypes
import marshal
import os
import select
import signal
import sys
import time

SYSTEM = str(sys.platform)
TASK_NUMBER_SEPARATOR = "."
# Seconds: for a worker that is about to end itself; for killed processes to be gone; between looks at those.
GRACE, PATIENCE, PAUSE = 1.0, 2.0, 0.002
# Seconds that the last of all may take to be gone when the parent is.
_LAST_PATIENCE = 60.0
_HEADER = 8
_DESCRIPTORS = 6
_SET_CHILD_SUBREAPER = 36
_READABLE = select.POLLIN | select.POLLHUP | select.POLLERR if hasattr(select, "poll") else 0


def children(pid: int) -> "list[int]":
    """Return the children of a process, those of all its threads."""
    if SYSTEM == "darwin":
        return _children_by_libproc(pid)
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - pathlib is not loaded here
            found += map(int, _read(f"/proc/{pid}/task/{thread}/children").split())
    except FileNotFoundError:
        return _children_by_scan(pid) if _has_no_lists() else found
    except OSError:
        pass
    return found


def _has_no_lists() -> bool:
    # The lists of children are an option of the kernel.
    return not os.path.exists(f"/proc/self/task/{os.getpid()}/children")  # noqa: PTH110 - as above


def _children_by_scan(parent: int) -> "list[int]":
    try:
        numbers = [name for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208
    except OSError:
        return []
    return [int(number) for number in numbers if _status(int(number))[1] == parent]


def _children_by_libproc(pid: int) -> "list[int]":
    library = ctypes.CDLL("/usr/lib/libproc.dylib")
    room = 1024
    while True:
        numbers = (ctypes.c_int * room)()
        count = library.proc_listchildpids(pid, numbers, ctypes.sizeof(numbers))
        if count < room:
            # Some versions give the number of bytes; a 0 would mean our own group to who signals it.
            return [number for number in numbers[: max(count, 0)] if number]
        room *= 4


def _status(pid: int) -> "tuple[str, int, int]":
    """Return the state of a process, its parent and when it started; ("", 0, 0) if it is not there."""
    try:
        fields = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()
        return fields[0], int(fields[1]), int(fields[19])
    except (OSError, IndexError):
        return "", 0, 0


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123 - as above
        return file.read()


def started(pid: int) -> int:
    """Return when a process started, in the system's own units: it tells it from another one with its number."""
    return _status(pid)[2]


def is_running(pid: int) -> bool:
    """Tell whether a process is there and no zombie."""
    if SYSTEM == "linux":
        return _status(pid)[0] not in {"", "Z", "X"}
    return _signal(pid, 0)


def descendants(roots: "set[int]") -> "set[int]":
    """Return the roots and all that is below them."""
    found: set[int] = set()
    waiting = list(roots)
    while waiting:
        pid = waiting.pop()
        if pid not in found:
            found.add(pid)
            waiting += children(pid)
    return found


def end_trees(roots: "set[int]") -> None:
    """Kill processes and all that they started."""
    # They stay until nothing is below them: they are where orphans go.
    end_below(roots, _stop(roots, set()))
    for pid in roots:
        _signal(pid, signal.SIGKILL)
        _signal_group(pid)


def end_below(roots: "set[int]", stopped: "set[int] | None" = None) -> None:
    """Kill all that processes have started; to go on while new ones appear is left to who stops the roots first."""
    stopped = set(stopped or ())
    limit = time.monotonic() + PATIENCE
    while time.monotonic() < limit:
        stopped = _stop(roots, stopped | roots)
        below = {pid for pid in descendants(roots) - roots if is_running(pid)}
        if not below:
            return
        for pid in below:
            _signal(pid, signal.SIGKILL)
        _rest()


def _rest() -> None:
    # Not time.sleep: it waits until a moment, which a library that stands in front of the clocks may shift.
    select.select([], [], [], PAUSE)


def _stop(roots: "set[int]", stopped: "set[int]") -> "set[int]":
    """Stop all in the trees but what is stopped already, until a look finds nothing new; return all."""
    while new := descendants(roots) - stopped:
        for pid in new:
            _signal(pid, signal.SIGSTOP)
        stopped = stopped | new
    return stopped


def _signal(pid: int, number: int) -> bool:
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _signal_group(pid: int) -> None:
    # Where orphans go to another process (macOS), those that stayed in the worker's group are still found by it.
    if SYSTEM != "linux":
        try:
            os.killpg(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            return


def clear(folder: str, name: str) -> None:
    """Remove the files of the task that a worker ran: its folder with the highest number."""
    try:
        numbers = [entry.rpartition(TASK_NUMBER_SEPARATOR) for entry in os.listdir(folder)]  # noqa: PTH208
    except OSError:
        return
    own = [int(number) for owner, _, number in numbers if owner == name and number.isdigit()]
    if not own:
        return
    path = f"{folder}/{name}{TASK_NUMBER_SEPARATOR}{max(own)}"
    try:
        os.rmdir(path)  # noqa: PTH106 - as above
    except OSError:
        import shutil  # noqa: PLC0415 - loaded only for what a killed task left

        shutil.rmtree(path, ignore_errors=True)


class Worker:
    """One worker process and the line to the parent that tells about it."""

    def __init__(self, pid: int, line: "_socket.socket", name: str) -> None:
        self.pid, self.line, self.name = pid, line, name
        self.deadline: float | None = None
        self.killed = False

    def tell(self, text: str) -> None:
        """Send one line to the parent, who may be gone."""
        _tell(self.line, text)


class Supervisor:
    """Serves one parent until it is gone."""

    def __init__(self, control: int, parent: int, folder: str) -> None:
        self._control = _socket.socket(fileno=control)
        self._folder = folder
        self._workers: dict[int, Worker] = {}
        self._buffer = b""
        # More than could be ended in one go: it goes on with the next turn.
        self._has_strays = False
        self._descriptors: list[int] = []
        self._woken, wake = os.pipe()
        os.set_blocking(wake, False)
        os.set_blocking(self._woken, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        self._parent = _watch(parent)
        self._libc = _subreaper()
        # Not before all of this stands: a parent that died meanwhile has left us to another one.
        self._orphaned = os.getppid() != parent

    def serve(self) -> None:
        """Start and end workers until the parent is gone; then end all of them."""
        try:
            while not self._orphaned:
                self._turn()
        finally:
            self._end_all()

    def _turn(self) -> None:
        poll = select.poll()
        watched = [self._control.fileno(), self._woken, *([] if self._parent is None else [self._parent])]
        lines = {worker.line.fileno(): worker for worker in self._workers.values() if not worker.killed}
        for descriptor in (*watched, *lines):
            poll.register(descriptor, _READABLE)
        ready = {descriptor for descriptor, _ in poll.poll(self._pause())}
        ended = [lines[descriptor] for descriptor in ready & lines.keys() if self._asks_for_end(lines[descriptor])]
        now = time.monotonic()
        ended += [
            one for one in lines.values() if one.deadline is not None and one.deadline <= now and one not in ended
        ]
        self._end(ended)
        self._reap()
        if self._parent in ready:
            self._orphaned = True
        elif self._control.fileno() in ready:
            self._receive()

    def _pause(self) -> "float | None":
        limits = [worker.deadline for worker in self._workers.values() if worker.deadline and not worker.killed]
        if self._has_strays:
            return 0.0
        return max(0.0, min(limits) - time.monotonic()) * 1000 + 1 if limits else None

    def _asks_for_end(self, worker: Worker) -> bool:
        try:
            word = worker.line.recv(1)
        except OSError:
            word = b""
        if word != b"e":
            return True
        worker.deadline = time.monotonic() + GRACE
        return False

    def _end(self, workers: "list[Worker]") -> None:
        if workers:
            for worker in workers:
                worker.killed = True
            end_trees({worker.pid for worker in workers})

    def _reap(self) -> None:
        _empty(self._woken)
        gone: list[tuple[Worker, int]] = []
        for pid, status in _dead():
            worker = self._workers.pop(pid, None)
            if worker is not None:
                gone.append((worker, status))
        if gone or self._has_strays:
            self._end_strays()
        for worker, status in gone:
            clear(self._folder, worker.name)
            worker.tell(f"ended {status}")
            worker.line.close()

    def _end_strays(self) -> None:
        """End what dead workers have left: it is ours now, and no worker."""
        limit = time.monotonic() + PATIENCE
        while time.monotonic() < limit:
            strays = {pid for pid in children(os.getpid()) if pid not in self._workers}
            self._has_strays = bool(strays)
            if not strays:
                return
            end_trees(strays)
            _rest()
            for pid in strays:
                _wait(pid)

    def _end_all(self) -> None:
        self._end([worker for worker in self._workers.values() if not worker.killed])
        limit = time.monotonic() + _LAST_PATIENCE
        while (self._workers or self._has_strays) and time.monotonic() < limit:
            self._reap()
            _rest()
        try:
            os.rmdir(self._folder)  # noqa: PTH106 - as above
        except OSError:
            # Results of tasks are in it, or it could not be made.
            return

    def _receive(self) -> None:
        try:
            data, ancillary, _, _ = self._control.recvmsg(
                1 << 16, _socket.CMSG_SPACE(_DESCRIPTORS * 4), _close_on_exec()
            )
        except OSError:
            data, ancillary = b"", []
        for _, _, packed in ancillary:
            self._descriptors += [int.from_bytes(packed[at : at + 4], sys.byteorder) for at in range(0, len(packed), 4)]
        for descriptor in self._descriptors:
            os.set_inheritable(descriptor, False)  # noqa: FBT003 - the system's signature
        if not data:
            self._orphaned = True
            return
        self._buffer += data
        while (size := _HEADER + int.from_bytes(self._buffer[:_HEADER], "little")) <= len(self._buffer):
            body, self._buffer = self._buffer[_HEADER:size], self._buffer[size:]
            descriptors, self._descriptors = self._descriptors[:_DESCRIPTORS], self._descriptors[_DESCRIPTORS:]
            name, argv, environment = marshal.loads(body)  # noqa: S302 - our parent wrote it
            self._start(name, argv, environment, descriptors)

    def _start(
        self, name: str, argv: "list[bytes]", environment: "dict[bytes, bytes]", descriptors: "list[int]"
    ) -> None:
        line, *others = descriptors
        temp = self._make_folder(name)
        if temp:
            environment[b"TMPDIR"] = environment[b"TVM_POOL_TEMP"] = os.fsencode(temp)
        told = _socket.socket(fileno=line)
        try:
            pid = os.fork()
        except OSError as error:
            # Those that run must not end because there is no room for one more.
            _tell(told, f"failed {error}")
            told.close()
            clear(self._folder, name)
        else:
            if pid == 0:
                self._become(argv, environment, line, others)
            self._workers[pid] = worker = Worker(pid, told, name)
            worker.tell(f"pid {pid}")
        for descriptor in others:
            os.close(descriptor)

    def _make_folder(self, name: str) -> str:
        if not self._folder:
            # Names in it would be names in the root.
            return ""
        path = f"{self._folder}/{name}{TASK_NUMBER_SEPARATOR}0"
        try:
            os.mkdir(path, 0o700)  # noqa: PTH102 - as above
            # So that a change shows, see popen_worker.keep_files.
            os.utime(path, (0, 0))
        except OSError:
            # A full or read-only file system: workers then use what their environment names.
            return ""
        return path

    def _become(self, argv: "list[bytes]", environment: "dict[bytes, bytes]", line: int, others: "list[int]") -> None:
        try:
            channel, permits, stdout, stderr, folder = others
            signal.set_wakeup_fd(-1)
            for number in (signal.SIGCHLD, signal.SIGHUP, signal.SIGINT, signal.SIGPIPE, signal.SIGTERM):
                signal.signal(number, signal.SIG_DFL)
            os.setsid()
            if self._libc is not None:
                self._libc.prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
            # The worker goes to its folder when it runs: no relative entry of PYTHONPATH shall lead there.
            os.chdir("/")
            os.dup2(stdout, 1)
            os.dup2(stderr, 2)
            for descriptor in (channel, permits, folder):
                os.set_inheritable(descriptor, True)  # noqa: FBT003 - the system's signature
            numbers = [b"%d" % descriptor for descriptor in (channel, permits, folder)]
            os.execve(argv[0], [*argv, b"--pool", *numbers], environment)  # noqa: S606 - no shell is meant
        except BaseException as error:  # noqa: BLE001 - a forked process must not go on as its parent
            os.write(line, f"failed {error}\n".encode(errors="replace"))
        finally:
            os._exit(127)


def _tell(line: "_socket.socket", text: str) -> None:
    try:
        line.send(text.encode() + b"\n")
    except OSError:
        return


def _empty(pipe: int) -> None:
    try:
        os.read(pipe, 512)
    except BlockingIOError:
        return


def _dead() -> "list[tuple[int, int]]":
    found = []
    while (one := _wait(-1)) is not None:
        found.append(one)
    return found


def _wait(pid: int) -> "tuple[int, int] | None":
    try:
        ended, status = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return None
    return (ended, status) if ended else None


def _watch(parent: int) -> "int | None":
    # The control socket tells of the parent's end unless a forked child of it has the socket too.
    try:
        return os.pidfd_open(parent) if SYSTEM == "linux" else None
    except (AttributeError, OSError):
        return None


def _subreaper() -> "ctypes.CDLL | None":
    """Take over the orphans of all that is started from here, and return what makes other processes do so."""
    if SYSTEM != "linux":
        return None
    libc = ctypes.CDLL(None)
    libc.prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    return libc


def _close_on_exec() -> int:
    return int(getattr(_socket, "MSG_CMSG_CLOEXEC", 0))


def _terminate(_number: int, _frame: object) -> None:
    raise SystemExit


def main() -> None:
    """Serve the parent that the command line names."""
    control, parent, folder = sys.argv[1:]
    signal.signal(signal.SIGTERM, _terminate)
    signal.signal(signal.SIGHUP, _terminate)
    Supervisor(int(control), int(parent), folder).serve()


if __name__ == "__main__":
    main()
