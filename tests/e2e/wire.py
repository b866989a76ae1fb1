"""A socket in front of the engine: it tells what passes, acts at a word of it, and can be cut."""

import re
import select
import shutil
import socket
import socketserver
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

# Docker answers a create with the ID, and a build tells which container runs a step.
_CREATED = re.compile(rb'"Id":"([0-9a-f]{64})","Warnings"|Running in ([0-9a-f]{12})')
# A word may be cut in two by the size of a read; this much of the read before is looked at again.
_OVERLAP = 400
_BLOCK = 1 << 16


class Wire:
    """Stands between a run and the engine. `containers` are the IDs that the engine gave for what the run made."""

    def __init__(self, engine: Path) -> None:
        """Listen on a socket of its own for the engine behind `engine`."""
        self.engine = engine
        self.containers: set[str] = set()
        # Not below tmp_path: a socket's path has 107 bytes at most.
        self._folder = Path(tempfile.mkdtemp(prefix="tvm-e2e-"))
        self._acts: list[tuple[re.Pattern[bytes], Callable[[], None]]] = []
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._server = self._listen()

    @property
    def path(self) -> Path:
        """The socket that a run is given."""
        return self._folder / "engine.sock"

    @property
    def address(self) -> str:
        """The socket as clients write it."""
        return f"unix://{self.path}"

    def at(self, pattern: str, act: Callable[[], None]) -> None:
        """Do something once, when bytes that match pass, and before they are handed on."""
        self._acts.append((re.compile(pattern.encode()), act))

    def cut(self) -> None:
        """Break every connection and take no new one, as an engine that dies."""
        self.path.unlink()
        with self._lock:
            for end in self._open:
                end.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        """Take connections again."""
        self._stop()
        self._server = self._listen()

    def close(self) -> None:
        """Take no more connections, and leave nothing of the wire."""
        self._stop()
        shutil.rmtree(self._folder)

    def carry(self, client: socket.socket) -> None:
        """Carry one connection until both sides have ended."""
        with socket.socket(socket.AF_UNIX) as engine:
            engine.connect(str(self.engine))
            with self._lock:
                self._open |= {client, engine}
            try:
                self._pump({client: engine, engine: client})
            except OSError:
                # One side went away, as this wire lets happen.
                return
            finally:
                with self._lock:
                    self._open -= {client, engine}

    def _pump(self, peers: dict[socket.socket, socket.socket]) -> None:
        tails = dict.fromkeys(peers, b"")
        waiting = set(peers)
        while waiting:
            for end in select.select(waiting, [], [])[0]:
                data = end.recv(_BLOCK)
                if data:
                    tails[end] = self._look(tails[end], data)
                    peers[end].sendall(data)
                else:
                    peers[end].shutdown(socket.SHUT_WR)
                    waiting.discard(end)

    def _look(self, before: bytes, data: bytes) -> bytes:
        text = before + data
        self.containers |= {(whole or short).decode() for whole, short in _CREATED.findall(text)}
        for act in self._due(text):
            act()
        return text[-_OVERLAP:]

    def _due(self, text: bytes) -> list[Callable[[], None]]:
        with self._lock:
            due = [entry for entry in self._acts if entry[0].search(text)]
            self._acts = [entry for entry in self._acts if entry not in due]
        return [act for _, act in due]

    def _listen(self) -> "_Server":
        server = _Server(str(self.path), _Handler)
        server.wire = self
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return server

    def _stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self.path.unlink(missing_ok=True)


class _Server(socketserver.ThreadingUnixStreamServer):
    # A run's last connections end by themselves; nobody waits for them.
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64
    wire: Wire


class _Handler(socketserver.BaseRequestHandler):
    server: _Server

    def handle(self) -> None:
        self.server.wire.carry(self.request)
