"""This terminal joined to a program in a box: keys go there as they are pressed, what it prints comes back."""

import contextlib
import os
import shutil
import signal
import socket
import sys
import termios
import threading
import tty
from collections.abc import Iterator
from io import BufferedReader
from select import select
from types import FrameType
from typing import Any

from tvm.matrix.engine.client import Client, engine_errors

_PIECE = 1 << 16
_POLL = 0.1


def join(client: Client, call: str) -> None:
    """Start the exec `call`, which has a terminal, and stay joined until it ends."""
    with engine_errors("start a shell"):
        raw: Any = client.exec_start(call, tty=True, socket=True)
    # As in tvm.matrix.engine.stream: bytes that came with the head of the answer lie in the buffer above the socket.
    reader: BufferedReader = raw._response.raw._fp.fp  # noqa: SLF001
    connection = getattr(raw, "_sock", raw)
    connection.settimeout(None)
    screen = threading.Thread(target=_show, args=(reader,), daemon=True)
    try:
        with _sized(client, call), _raw_mode():
            screen.start()
            _keys(connection, screen)
    finally:
        # Who still reads holds the lock that closing wants.
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)
        if screen.ident:
            screen.join()
        raw._response.close()  # noqa: SLF001
        raw.close()


def _show(reader: BufferedReader) -> None:
    # The connection ends with the program, or is closed by us.
    with contextlib.suppress(OSError, ValueError):
        while piece := reader.read1(_PIECE):
            os.write(sys.stdout.fileno(), piece)


def _keys(connection: Any, screen: threading.Thread) -> None:
    keyboard = sys.stdin.fileno()
    while screen.is_alive():
        if not select([keyboard], [], [], _POLL)[0]:
            continue
        pressed = os.read(keyboard, _PIECE)
        if not pressed:
            return
        try:
            connection.sendall(pressed)
        except OSError:
            # The shell has ended while a key was pressed.
            return


@contextlib.contextmanager
def _raw_mode() -> Iterator[None]:
    """Let every key through, Ctrl-C too, and give the terminal back as it was. What was typed before is kept."""
    keyboard = sys.stdin.fileno()
    before = termios.tcgetattr(keyboard)
    try:
        tty.setraw(keyboard, termios.TCSANOW)
        yield
    finally:
        termios.tcsetattr(keyboard, termios.TCSANOW, before)


@contextlib.contextmanager
def _sized(client: Client, call: str) -> Iterator[None]:
    """Give the program this terminal's size, now and whenever it changes."""

    def tell(_number: int = 0, _frame: FrameType | None = None) -> None:
        columns, lines = shutil.get_terminal_size()
        # An engine that cannot do it, or a shell that has ended, spoils nothing.
        with contextlib.suppress(Exception):
            client.exec_resize(call, height=lines, width=columns)

    before = signal.signal(signal.SIGWINCH, tell)
    try:
        tell()
        yield
    finally:
        signal.signal(signal.SIGWINCH, before)
