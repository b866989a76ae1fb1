"""Worker processes on POSIX systems: one supervisor process for each pool starts and ends them."""

import marshal
import os
import socket
import weakref
from array import array
from contextlib import suppress
from pathlib import Path

from tvm.error import PoolError, TVMError
from tvm.support import process
from tvm.support._pool import supervisor
from tvm.support._pool.frames import Channel
from tvm.support._pool.processes import Command, Ending, arguments, descriptor_of, interpreter, make_folder

_PROGRAM = str(Path(supervisor.__file__).absolute())
# Whose sockets a forked child has to close: it would keep the supervisor from noticing our end.
_SOCKETS: "weakref.WeakSet[socket.socket]" = weakref.WeakSet()


class PosixProcess:
    """A worker that a supervisor has started."""

    takes_advance = True

    def __init__(
        self, channel: socket.socket, line: socket.socket, permits: tuple[int, int], *, folder: str, name: str
    ) -> None:
        line.setblocking(False)  # noqa: FBT003 - the system's signature
        self.channel = Channel(channel)
        self._line = line
        # Both ends of the pipe are kept: what the worker has not read can be taken back.
        self._permits, self._grants = permits
        self._folder, self._name = folder, name
        self._told = b""
        self._is_over = False
        self._started = 0
        self._pid = 0

    @property
    def pid(self) -> int:
        """Its number; 0 while that is not known."""
        if not self._pid:
            self._listen()
            self._pid = int(self._word(b"pid ") or 0)
            self._started = supervisor.started(self._pid)
        return self._pid

    def line_fileno(self) -> int:
        """Return the descriptor that can be read when its end is known."""
        return self._line.fileno()

    def permit(self, count: int) -> None:
        """Let it start so many tasks more that are sent in advance."""
        os.write(self._grants, b"p" * count)

    def recall(self, count: int) -> int:
        """Take back so many permits, and return how many of them it had not used."""
        try:
            return len(os.read(self._permits, count))
        except BlockingIOError:
            return 0

    def kill(self) -> None:
        """End it, and all that it has started."""
        self._say(b"k")

    def finish(self) -> None:
        """Let it end itself, and end it after a moment."""
        self._say(b"e")
        self.channel.shut()

    def _say(self, word: bytes) -> None:
        with suppress(OSError):
            self._line.send(word)

    def ended(self, *, force: bool) -> Ending | None:
        """Return how it ended once it is gone with all that it had started."""
        pid = self.pid
        self._listen()
        if why := self._word(b"failed "):
            return Ending(code=None, why=why)
        if status := self._word(b"ended "):
            return Ending(code=os.waitstatus_to_exitcode(int(status)))
        if not self._is_over and not force:
            return None
        # The supervisor was killed, or does not answer.
        if pid and supervisor.started(pid) == self._started:
            supervisor.end_trees({pid})
        supervisor.clear(self._folder, self._name)
        with suppress(OSError):
            # It is not empty while the other workers' are in it.
            Path(self._folder).rmdir()
        return Ending(code=None, why="the pool's supervisor was ended")

    def _listen(self) -> None:
        """Read what the supervisor has told."""
        while not self._is_over:
            try:
                told = self._line.recv(4096)
            except BlockingIOError:
                return
            except OSError:
                told = b""
            self._is_over = not told
            self._told += told

    def _word(self, word: bytes) -> str:
        lines = self._told.split(b"\n")[:-1]
        return next((line[len(word) :].decode(errors="replace") for line in lines if line.startswith(word)), "")

    def close(self) -> None:
        """Give back what this process holds of it. What is still running then is ended by the supervisor."""
        self.channel.close()
        self._line.close()
        os.close(self._permits)
        os.close(self._grants)


class PosixLauncher:
    """Starts the workers of one pool, and their supervisor before the first of them."""

    def __init__(self) -> None:
        self._control: socket.socket | None = None
        self._child: process.Companion[bytes] | None = None
        self._folder = ""
        self._made = 0

    def prepare(self) -> None:
        """Start the supervisor. If that fails, `launch` tries again and tells."""
        with suppress(TVMError, OSError):
            self._control = self._control or self._start()

    def launch(self, command: Command) -> PosixProcess:
        """Start a worker."""
        channel, theirs = _pair()
        line, its_line = _pair()
        permits = os.pipe()
        for descriptor in permits:
            os.set_blocking(descriptor, False)
        passed = [its_line.fileno(), theirs.fileno(), permits[0]]
        opened: list[int] = []
        try:
            opened.append(descriptor_of(command.stdout, 1))
            opened.append(opened[0] if command.stderr == process.STDOUT else descriptor_of(command.stderr, 2))
            opened.append(_current_folder())
            environment = {os.fsencode(name): os.fsencode(value) for name, value in command.environment.items()}
            self._made += 1
            name = str(self._made)
            self._send(marshal.dumps((name, arguments(command.argv), environment)), [*passed, *opened])
            return PosixProcess(channel, line, permits, folder=self._folder, name=name)
        except BaseException:
            channel.close()
            line.close()
            for descriptor in permits:
                os.close(descriptor)
            raise
        finally:
            theirs.close()
            its_line.close()
            for descriptor in set(opened):
                os.close(descriptor)

    def _send(self, body: bytes, descriptors: list[int]) -> None:
        data = len(body).to_bytes(8, "little") + body
        for _ in range(2):
            control = self._control or self._start()
            try:
                sent = control.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", descriptors))])
                control.sendall(data[sent:])
            except OSError:
                # It was killed; the next one takes over.
                self._forget()
                self._remove_folder()
            else:
                return
        msg = "the pool's supervisor cannot be started, or ends at once"
        raise PoolError(msg, fix="look at what it wrote to stderr; is the limit on processes (ulimit -u) reached?")

    def _start(self) -> socket.socket:
        program = interpreter()
        control, theirs = _pair()
        self._folder = make_folder()
        words = [program, "-I", "-S", _PROGRAM, str(theirs.fileno()), str(os.getpid()), self._folder]
        try:
            self._child = process.companion(words, keep=[theirs.fileno()])
        except OSError as error:
            control.close()
            self._remove_folder()
            msg = f"the pool's supervisor cannot be started: {error}"
            raise PoolError(msg) from error
        finally:
            theirs.close()
        self._control = control
        return control

    def close(self, limit: float) -> None:
        """End what is left of the workers, waiting `limit` seconds for it."""
        self._forget()
        process.reap(limit)
        self._remove_folder()

    def _remove_folder(self) -> None:
        """Remove the folder of temporary files if no supervisor was there to do it, and nothing of finished tasks is in it."""
        if self._folder:
            with suppress(OSError):
                Path(self._folder).rmdir()

    def _forget(self) -> None:
        control, self._control = self._control, None
        child, self._child = self._child, None
        if control is not None:
            control.close()
        if child is not None:
            process.put_aside(child)


def _pair() -> tuple[socket.socket, socket.socket]:
    own, theirs = socket.socketpair()
    _SOCKETS.add(own)
    return own, theirs


def _current_folder() -> int:
    # A folder that may be entered need not be readable; one that was removed is still the current one.
    return os.open(".", getattr(os, "O_PATH", os.O_RDONLY))


def _after_fork() -> None:
    for own in list(_SOCKETS):
        own.close()


os.register_at_fork(after_in_child=_after_fork)
