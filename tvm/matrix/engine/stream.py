"""Read what a program in a box prints, while it runs, with a time limit of our own."""

import struct
import time
from collections.abc import Iterator
from io import BufferedReader
from typing import Any

from tvm.error import EngineError
from tvm.matrix.engine.client import FIX

_HEADER = struct.Struct(">BxxxL")


def output(raw: Any, *, limit: float) -> Iterator[bytes]:
    """Yield stdout and stderr in the order they came. `raw` is what exec_start(socket=True) gave.

    `limit` is in seconds: an engine that hangs longer is given up. A connection that breaks within a piece is an EngineError.
    """
    # The SDK hands out the bare socket, but bytes that came with the answer's head lie in the buffer above it.
    reader: BufferedReader = raw._response.raw._fp.fp  # noqa: SLF001 - the SDK has no public way to it
    connection = getattr(raw, "_sock", raw)
    end = time.monotonic() + limit
    try:
        while header := _read(connection, reader, _HEADER.size, end, whole=True):
            (_, left) = _HEADER.unpack(header)
            while left:
                piece = _read(connection, reader, left, end)
                left -= len(piece)
                yield piece
    finally:
        raw._response.close()  # noqa: SLF001
        raw.close()


def _read(connection: Any, reader: BufferedReader, size: int, end: float, *, whole: bool = False) -> bytes:
    remaining = end - time.monotonic()
    if remaining <= 0:
        raise TimeoutError
    connection.settimeout(remaining)
    data = reader.read(size) if whole else reader.read1(size)
    if (whole and 0 < len(data) < size) or (not whole and not data):
        msg = "the engine went away while a program ran"
        raise EngineError(msg, fix=FIX)
    return data
