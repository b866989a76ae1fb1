"""A machine on which the private engine can be started: stand-ins for dockerd and ip, folders under a test's own."""

from dataclasses import dataclass
from pathlib import Path

from tests.unit.stand_in import MakeStandIn, StandIn
from tvm.matrix.engine.layout import Layout

# Answers /version on the socket that --host names until SIGTERM, as little as a client needs to connect.
DOCKERD = """
import http.server, signal, socketserver
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
print("dockerd is up", flush=True)
address = next(arg for arg in args if arg.startswith("--host=")).removeprefix("--host=unix://")
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = b'{"ApiVersion": "1.41", "Version": "20.10.24", "Driver": "DRIVER"}'
        if self.path.endswith("/containers/json") or "/containers/json?" in self.path:
            body = b"[]"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass
class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
Server(address, Handler).serve_forever()
"""
# Knows the bridge once it was added: a file beside the stand-in is its memory.
IP = """
bridge = sys.argv[0] + ".bridge"
if args[:2] == ["link", "show"]:
    sys.exit(0 if os.path.exists(bridge) else 1)
if args[:2] == ["link", "add"]:
    open(bridge, "w").close()
if args[:2] == ["link", "delete"]:
    os.remove(bridge)
"""


@dataclass(frozen=True, kw_only=True)
class World:
    """The layout and the programs of such a machine."""

    layout: Layout
    dockerd: StandIn
    ip: StandIn


def make_world(folder: Path, stand_in: MakeStandIn, *, driver: str = "overlay2", dockerd: str = DOCKERD) -> World:
    """Put the programs on PATH; `folder` must have a short name, for a socket goes below it."""
    layout = Layout(run=folder / "run", home=folder / "home")
    layout.home.mkdir()
    stand_in("mmdebstrap")
    return World(
        layout=layout,
        dockerd=stand_in("dockerd", body=dockerd.replace("DRIVER", driver)),
        ip=stand_in("ip", body=IP),
    )
