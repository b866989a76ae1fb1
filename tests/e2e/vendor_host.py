"""A vendor's host on a port of this machine: https with an authority of its own, and one download."""

import hashlib
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tvm.support import process

CONTENT = b"a tool of a vendor, packed\n" * 4096
SHA256 = hashlib.sha256(CONTENT).hexdigest()
WHOLE, CUT_OFF = "/tool.zip", "/cut-off.zip"
_AUTHORITY = "keyUsage=critical,keyCertSign,cRLSign"
_HOST = "subjectAltName=IP:127.0.0.1,DNS:localhost\nbasicConstraints=CA:FALSE\nauthorityKeyIdentifier=keyid\n"


def make_certificates(folder: Path) -> None:
    """Write ca.crt, and host.crt with host.key signed by it, into a folder."""
    (folder / "host.ext").write_text(_HOST, encoding="utf-8")
    key = ["-newkey", "rsa:2048", "-nodes", "-sha256"]
    authority = ["-subj", "/CN=e2e authority", "-addext", _AUTHORITY, "-days", "2"]
    _openssl(folder, "req", "-x509", *key, *authority, "-keyout", "ca.key", "-out", "ca.crt")
    _openssl(folder, "req", *key, "-subj", "/CN=127.0.0.1", "-keyout", "host.key", "-out", "host.csr")
    sign = ["-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "host.ext", "-days", "2"]
    _openssl(folder, "x509", "-req", "-in", "host.csr", *sign, "-out", "host.crt")


@contextmanager
def serve(folder: Path, handler: type[BaseHTTPRequestHandler] | None = None) -> Iterator[str]:
    """Serve the download, or what a handler answers, with the certificates of a folder; yield the address without a path."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "host.crt", folder / "host.key")
    with ThreadingHTTPServer(("127.0.0.1", 0), handler or _Vendor) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield f"https://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


class _Vendor(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path not in {WHOLE, CUT_OFF}:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        self.wfile.write(CONTENT if self.path == WHOLE else CONTENT[: len(CONTENT) // 2])

    def log_request(self, _code: int | str = "-", _size: int | str = "-") -> None:
        """Say nothing of each request."""


def _openssl(folder: Path, *arguments: str) -> None:
    process.run(["openssl", *arguments], cwd=folder, timeout=60)
