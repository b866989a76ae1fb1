"""Frames between a pool and its workers, without waiting. They are described in tvm.exec.popen_worker."""

import socket
import struct
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import IntEnum

_HEADER, _CLOCK = struct.Struct("<qB"), struct.Struct("<d")
_QUICK = 128
# What one call reads, and sends at most: some systems refuse 2 GiB at once.
_CHUNK, _PIECE = 1 << 16, 1 << 30


class Ask(IntEnum):
    """What goes to a worker."""

    SETUP = 1
    TASK = 2
    TIMED_TASK = 3
    NEXT_TASK = 4
    NEXT_TIMED_TASK = 5


class Answer(IntEnum):
    """What comes from a worker."""

    COMPLETE = 1
    EXCEPTION = 2
    UNLOADABLE = 3
    UNPICKLABLE = 4
    EXITED = 5
    INTERRUPTED = 6
    # A result that runs nobody's code when it is loaded.
    PLAIN = 7
    STARTED = 8


@dataclass(frozen=True, kw_only=True)
class Frame:
    """One frame of a worker."""

    kind: int
    body: bytes | bytearray
    # The task took less than a millisecond.
    is_quick: bool = False

    @property
    def clock(self) -> float:
        """What the worker's monotonic clock said, in seconds, in a frame of the kind STARTED."""
        return float(_CLOCK.unpack(self.body)[0])


class Channel:
    """A socket that never blocks, and what is half sent and half received on it."""

    def __init__(self, own: socket.socket) -> None:
        own.setblocking(False)  # noqa: FBT003 - the system's signature
        self._socket = own
        self._out: deque[memoryview] = deque()
        self._rest = b""
        # The body of a large frame, and how much of it is there.
        self._large: bytearray | None = None
        self._kind = 0
        self._done = 0

    def fileno(self) -> int:
        """Return the descriptor to poll."""
        return self._socket.fileno()

    def put(self, kind: Ask, body: bytes) -> None:
        """Add a frame to what `flush` sends."""
        head = _HEADER.pack(len(body), kind)
        if len(body) >= _CHUNK:
            self._out += (memoryview(head), memoryview(body))
        elif self._out and len(self._out[-1]) < _CHUNK:
            self._out[-1] = memoryview(b"".join((self._out[-1], head, body)))
        else:
            self._out.append(memoryview(head + body))

    def flush(self) -> bool:
        """Send what was put, as much as goes; tell whether all went. OSError when the worker is gone."""
        while self._out:
            piece = self._out[0]
            try:
                count = self._socket.send(piece[:_PIECE])
            except BlockingIOError:
                return False
            if count < len(piece):
                self._out[0] = piece[count:]
            else:
                self._out.popleft()
        return True

    def receive(self) -> Iterator[Frame]:
        """Read once and give the frames that are whole. EOFError at the end of the stream."""
        if self._large is not None:
            yield from self._receive_large(self._large)
            return
        try:
            chunk = self._socket.recv(_CHUNK)
        except BlockingIOError:
            return
        if not chunk:
            raise EOFError
        self._rest = self._rest + chunk if self._rest else chunk
        yield from self._split()

    def _split(self) -> Iterator[Frame]:
        while len(self._rest) >= _HEADER.size:
            size, kind = _HEADER.unpack_from(self._rest)
            end = _HEADER.size + size
            if len(self._rest) < end:
                if size > _CHUNK:
                    self._begin_large(size, kind)
                return
            body, self._rest = self._rest[_HEADER.size : end], self._rest[end:]
            yield Frame(kind=kind & ~_QUICK, body=body, is_quick=kind >= _QUICK)

    def _begin_large(self, size: int, kind: int) -> None:
        self._large, self._kind = bytearray(size), kind
        self._done = len(self._rest) - _HEADER.size
        self._large[: self._done] = self._rest[_HEADER.size :]
        self._rest = b""

    def _receive_large(self, body: bytearray) -> Iterator[Frame]:
        with memoryview(body) as view:
            try:
                count = self._socket.recv_into(view[self._done : self._done + _PIECE])
            except BlockingIOError:
                return
        if not count:
            raise EOFError
        self._done += count
        if self._done == len(body):
            self._large = None
            yield Frame(kind=self._kind & ~_QUICK, body=body)

    def shut(self) -> None:
        """End the stream: the worker sees its end."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()
