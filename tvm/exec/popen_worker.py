"""A worker of `tvm.support.popen_pool`: it reads tasks, runs them, and writes what they gave.

It imports the standard library, and cloudpickle when something needs it: what a task does not import is not loaded.

`popen_worker.py --pool FD PERMITS_FD FOLDER_FD` speaks to this project's pool. A frame is the length of its body (8 bytes, little-endian), a
byte that says what it is, and the body, a pickle. To here: SETUP (the search path), and tasks (function, args, kwargs). From here:
STARTED (before a task of a TIMED kind; the body is the monotonic clock as a double), then what became of it, with QUICK added if it took no time. A task of a NEXT
kind was sent before the answer to the one before it: it may start if a byte can be read from the pipe of permits. If there is
none, the parent has taken it back, for a worker that has nothing to do, and nothing is answered.

`python -m tvm.exec.popen_worker READ_FD WRITE_FD` is the entry of the seed's pool: a frame is a length (4 bytes, signed) and a
pickle of `(function, args, kwargs, timeout)`, the answer `(status, value)`; it keeps the time itself.
"""

import importlib
import io
import os
import pickle
import struct
import sys
import time
from collections.abc import Callable
from typing import Any

# What comes in a frame, to here and from here.
SETUP, TASK, TIMED_TASK, NEXT_TASK, NEXT_TIMED_TASK = 1, 2, 3, 4, 5
COMPLETE, EXCEPTION, UNLOADABLE, UNPICKLABLE, EXITED, INTERRUPTED, PLAIN, STARTED = 1, 2, 3, 4, 5, 6, 7, 8
# Added to the kind of an answer if the task took less than a millisecond.
QUICK, _MOMENT = 128, 0.001
# Loading these runs no code of anybody.
_PLAIN_TYPES = frozenset({type(None), bool, int, float, str, bytes})
# Names the folder for temporary files that is removed with a task that has to be ended.
TEMP_VARIABLE = "TVM_POOL_TEMP"

_HEADER, _CLOCK = struct.Struct("<qB"), struct.Struct("<d")
# What one read asks for, and the most that one write gives: some systems refuse 2 GiB at once.
_CHUNK, _PIECE = 1 << 16, 1 << 30
# How many errors behind an error are sent along.
_CHAIN = 20

Bytes = bytes | bytearray


class Stream:
    """Two raw streams, read in pieces of any size."""

    def __init__(self, source: io.RawIOBase, sink: io.RawIOBase) -> None:
        self._source, self._sink = source, sink
        self._rest = b""

    def read(self, size: int) -> "Bytes | None":
        """Return `size` bytes, None at the end of the stream."""
        while len(self._rest) < size <= _CHUNK:
            chunk = self._source.read(_CHUNK)
            if not chunk:
                return None
            self._rest += chunk
        if len(self._rest) < size:
            return self._read_large(size)
        body, self._rest = self._rest[:size], self._rest[size:]
        return body

    def _read_large(self, size: int) -> "bytearray | None":
        body = bytearray(size)
        done = len(self._rest)
        body[:done] = self._rest
        self._rest = b""
        with memoryview(body) as view:
            while done < size:
                count = self._source.readinto(view[done : done + _PIECE])
                if not count:
                    return None
                done += count
        return body

    def write(self, head: bytes, body: bytes) -> None:
        """Write a frame."""
        if len(body) < _CHUNK:
            self._write(head + body)
        else:
            self._write(head)
            self._write(body)

    def _write(self, data: bytes) -> None:
        done = 0
        with memoryview(data) as view:
            while done < len(data):
                done += self._sink.write(view[done : done + _PIECE]) or 0

    def close(self) -> None:
        """Close both."""
        self._source.close()
        self._sink.close()


class Worker:
    """Serves this project's pool."""

    def __init__(self, stream: Stream, permits: "int | None" = None) -> None:
        self._stream, self._permits = stream, permits
        self._temp = os.environ.pop(TEMP_VARIABLE, "")

    def serve(self) -> None:
        """Answer every frame until the stream ends."""
        while (head := self._stream.read(_HEADER.size)) is not None:
            size, kind = _HEADER.unpack(head)
            body = self._stream.read(size)
            if body is None:
                return
            if kind == SETUP:
                sys.path[:] = pickle.loads(body)  # noqa: S301 - our parent wrote it
                self._send(PLAIN, pickle.dumps(None))
            elif kind < NEXT_TASK or self._may_start():
                self._run(body, timed=kind in {TIMED_TASK, NEXT_TIMED_TASK})
            # Not kept while the next one is waited for.
            del body

    def _run(self, body: Bytes, *, timed: bool) -> None:
        try:
            function, args, kwargs = pickle.loads(body)  # noqa: S301 - our parent wrote it
        except BaseException as error:  # noqa: BLE001 - whatever it is, the parent is told
            self._send(UNLOADABLE, dumps(describe(error)))
            return
        del body
        if timed:
            self._send(STARTED, _CLOCK.pack(time.monotonic()))
        begun = time.monotonic()
        kind, value = self._outcome(function, args, kwargs)
        quick = QUICK if time.monotonic() - begun < _MOMENT else 0
        del function, args, kwargs
        if self._temp:
            self._temp = keep_files(self._temp)
        flush()
        kind, data = _packed_answer(kind, value)
        self._send(kind | quick, data)

    def _may_start(self) -> bool:
        try:
            return self._permits is not None and os.read(self._permits, 1) != b""
        except BlockingIOError:
            return False

    @staticmethod
    def _outcome(function: Callable[..., Any], args: Any, kwargs: Any) -> "tuple[int, Any]":
        """Call the function; nothing that it raises ends this process."""
        try:
            return COMPLETE, function(*args, **kwargs)
        except SystemExit as error:
            return EXITED, describe(error)
        except KeyboardInterrupt as error:
            return INTERRUPTED, describe(error)
        except BaseException as error:  # noqa: BLE001 - whatever it is, the parent is told
            return EXCEPTION, describe(error)

    def _send(self, kind: int, body: bytes) -> None:
        self._stream.write(_HEADER.pack(len(body), kind), body)


def _packed_answer(kind: int, value: Any) -> "tuple[int, bytes]":
    if kind == COMPLETE and type(value) in _PLAIN_TYPES:
        return PLAIN, pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    try:
        return kind, dumps(value)
    except BaseException as error:  # noqa: BLE001 - whatever it is, the parent is told
        return UNPICKLABLE, dumps((type_name(type(value)), describe(error)))


def dumps(value: object) -> bytes:
    """Pickle; what plain pickle cannot do (lambdas, what the parent's __main__ defines) is left to cloudpickle."""
    try:
        return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    except Exception:  # noqa: BLE001 - __reduce__ may raise anything
        # Three times as long to load as all the rest of this process, and it has no types.
        cloudpickle: Any = importlib.import_module("cloudpickle")
        return bytes(cloudpickle.dumps(value, pickle.HIGHEST_PROTOCOL))


def describe(error: "BaseException | None", depth: int = _CHAIN) -> "tuple[Any, ...] | None":
    """Return an exception in parts: `(how, pickle, type, message, traceback, cause, context, suppress)`.

    `how` is "whole" (the pickle is the exception), "parts" (class, args, attributes and slots: its constructor cannot be called
    again) or "text" (it cannot be pickled at all).
    """
    if error is None or depth == 0:
        return None
    how, data = _packed(error)
    return (
        how,
        data,
        type_name(type(error)),
        message(error),
        trace(error) if depth == _CHAIN else "",
        describe(error.__cause__, depth - 1),
        describe(error.__context__, depth - 1) if error.__context__ is not error.__cause__ else None,
        error.__suppress_context__,
    )


def _packed(error: BaseException) -> "tuple[str, bytes]":
    try:
        data = dumps(error)
        if _same(pickle.loads(data), error):  # noqa: S301 - written one line above
            return "whole", data
    except BaseException:  # noqa: BLE001, S110 - a constructor may raise anything; there is another way
        pass
    try:
        return "parts", dumps((type(error), error.args, error.__dict__, _slots(error)))
    except BaseException:  # noqa: BLE001 - as above
        return "text", b""


def _same(copy: object, error: BaseException) -> bool:
    return (
        type(copy) is type(error)
        and isinstance(copy, BaseException)
        and repr(copy.args) == repr(error.args)
        and copy.__dict__.keys() == error.__dict__.keys()
    )


class _Slotted:
    __slots__ = ("slot",)


def _slots(error: BaseException) -> "dict[str, Any]":
    """Return the attributes that are not in __dict__: errno of an OSError, object and start of a UnicodeError."""
    kinds = (type(vars(OSError)["errno"]), type(vars(OSError)["characters_written"]), type(vars(_Slotted)["slot"]))
    names = {
        name
        for base in type(error).__mro__
        if base not in {BaseException, object}
        for name, member in vars(base).items()
        if isinstance(member, kinds) and not name.startswith("__")
    }
    return {name: getattr(error, name) for name in sorted(names) if hasattr(error, name)}


def trace(error: BaseException) -> str:
    """Return the traceback without this module's frames."""
    import traceback  # noqa: PLC0415 - only after an error

    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename == __file__:
        frames = frames.tb_next
    return "".join(traceback.format_exception(type(error), error, frames))


def message(error: BaseException) -> str:
    """Return the text of an exception, whose __str__ may itself fail."""
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - as the docstring says
        return "(no message: its __str__ failed)"


def type_name(kind: type) -> str:
    """Return the name of a class with its module, if that is not builtins."""
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def keep_files(temp: str) -> str:
    """Leave the files that a finished task made where they are, and return an empty folder for the next task.

    The folder is NAME.NUMBER; who ends this worker removes the one with the highest number. Its time is set to 0 when it is
    made, so that any change shows.
    """
    try:
        if os.stat(temp).st_mtime_ns == 0:  # noqa: PTH116 - pathlib is not loaded here
            return temp
        if os.listdir(temp):  # noqa: PTH208 - as above
            name, _, number = temp.rpartition(".")
            temp = _renew(f"{name}.{int(number) + 1}", temp)
        os.utime(temp, (0, 0))
    except OSError:
        # No room, or the task removed the folder itself: it goes on without one.
        return ""
    return temp


def _renew(folder: str, before: str) -> str:
    os.mkdir(folder, 0o700)  # noqa: PTH102 - as above
    if os.environ.get("TMPDIR") == before:
        os.environ["TMPDIR"] = folder
    tempfile: Any = sys.modules.get("tempfile")
    if tempfile is not None and tempfile.tempdir == before:
        tempfile.tempdir = folder
    return folder


def flush() -> None:
    """Write what a task has printed: the process may be ended at any time."""
    for stream in (sys.stdout, sys.stderr):
        _flush(stream)


def _flush(stream: Any) -> None:
    try:
        stream.flush()
    except (AttributeError, OSError, ValueError):
        # None, closed, or gone.
        return


class SeedWorker:
    """Serves a pool that speaks the seed's protocol."""

    _COMPLETE, _EXCEPTION, _TIMEOUT = 1, 2, 3

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def serve(self) -> None:
        """Answer every task until the stream ends."""
        while (head := self._stream.read(4)) is not None:
            body = self._stream.read(int.from_bytes(head, "little", signed=True))
            if body is None:
                return
            try:
                function, args, kwargs, timeout = pickle.loads(body)  # noqa: S301 - the parent wrote it
            except BaseException as error:  # noqa: BLE001 - whatever it is, the parent is told
                self._answer(self._EXCEPTION, _portable(error))
            else:
                self._run(function, args, kwargs, timeout)

    def _run(self, function: Callable[..., Any], args: Any, kwargs: Any, timeout: "float | None") -> None:
        if timeout is None:
            self._answer(*self._outcome(function, args, kwargs))
            return
        import threading  # noqa: PLC0415 - only here

        # Never given back: the first one answers, and the other one has nothing to say.
        self._turn = threading.Lock()
        timer = threading.Timer(timeout, self._answer_once, [self._TIMEOUT, TimeoutError()])
        timer.daemon = True
        timer.start()
        self._answer_once(*self._outcome(function, args, kwargs))
        timer.cancel()

    def _outcome(self, function: Callable[..., Any], args: Any, kwargs: Any) -> "tuple[int, Any]":
        try:
            return self._COMPLETE, function(*args, **(kwargs or {}))
        except BaseException as error:  # noqa: BLE001 - whatever it is, the parent is told
            return self._EXCEPTION, _portable(error)

    def _answer_once(self, status: int, value: object) -> None:
        if self._turn.acquire(blocking=False):
            try:
                self._answer(status, value)
            except OSError:
                # The parent is gone, so nobody waits for the task any more.
                os._exit(1)

    def _answer(self, status: int, value: object) -> None:
        try:
            body = dumps((status, value))
        except Exception as error:  # noqa: BLE001 - __reduce__ may raise anything
            what = f"the result, a {type_name(type(value))}, cannot be pickled: {error}"
            body = dumps((self._EXCEPTION, RuntimeError(what)))
        flush()
        self._stream.write(len(body).to_bytes(4, "little", signed=True), body)


def _portable(error: BaseException) -> BaseException:
    """Return the exception if it can be sent and would end nothing there, else a RuntimeError with its traceback."""
    if isinstance(error, Exception) and _packed(error)[0] == "whole":
        return error
    return RuntimeError(trace(error))


def main() -> None:
    """Serve what the command line names."""
    # Python puts the current directory, or this file's, in front: neither is a place for modules.
    if not getattr(sys.flags, "safe_path", False) and not sys.flags.isolated:
        del sys.path[0]
    match sys.argv[1:]:
        case ["--pool", "stdin"]:
            stream = _shared()
            _serve(Worker(stream), stream)
        case ["--pool", number, permits, folder]:
            stream = _opened(int(number), int(number))
            os.set_inheritable(int(permits), False)  # noqa: FBT003 - the system's signature
            os.fchdir(int(folder))
            os.close(int(folder))
            _serve(Worker(stream, int(permits)), stream)
        case [source, sink]:
            stream = _opened(int(source), int(sink))
            _serve(SeedWorker(stream), stream)
        case _:
            print(f"usage: {sys.argv[0]} READ_FD WRITE_FD")


def _serve(worker: "Worker | SeedWorker", stream: Stream) -> None:
    try:
        worker.serve()
        stream.close()
    except (OSError, KeyboardInterrupt):
        # The parent is gone.
        return


def _shared() -> Stream:
    """Return the stream over a socket that comes through stdin, as a process gets one on Windows."""
    import socket  # noqa: PLC0415 - Windows alone needs it

    receive: Callable[[bytes], socket.socket] = vars(socket)["fromshare"]
    both = socket.SocketIO(receive(sys.stdin.buffer.read()), "rw")
    return Stream(both, both)


def _opened(source: int, sink: int) -> Stream:
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - Windows alone has it

        source = msvcrt.open_osfhandle(source, os.O_RDONLY | os.O_BINARY)
        sink = msvcrt.open_osfhandle(sink, os.O_WRONLY | os.O_BINARY)
    for descriptor in (source, sink):
        os.set_inheritable(descriptor, False)  # noqa: FBT003 - the system's signature
    return Stream(io.FileIO(source, "rb"), io.FileIO(sink, "wb", closefd=source != sink))


if __name__ == "__main__":
    main()
