"""A vendor's package index on a port of this machine: two tiny wheels that stand in for neuronx-cc and nki and record their calls."""

import hashlib
import io
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import quote, unquote

from tests.e2e import vendor_host

# The sources of the wheels; files of Python that only the image runs.
SOURCES = Path(__file__).with_name("vendor")
_NEEDS = {"nki": ["numpy"], "neuronx-cc": []}
_SCRIPTS = {"neuronx-cc": "[console_scripts]\nneuronx-cc = neuronxcc.main:main\n"}
_MOMENT = (2026, 1, 1, 0, 0, 0)


@dataclass(frozen=True, kw_only=True)
class Index:
    """An index that is served: its address, its wheels by file name, and the paths that it was asked for."""

    address: str
    wheels: Mapping[str, bytes]
    asked: list[str] = field(default_factory=list)

    def sha256(self, package: str) -> str:
        """Return the sum of a package's wheel in hex."""
        (wheel,) = (data for name, data in self.wheels.items() if name.startswith(f"{package.replace('-', '_')}-"))
        return hashlib.sha256(wheel).hexdigest()


@contextmanager
def serve(folder: Path, packages: Mapping[str, str]) -> Iterator[Index]:
    """Serve the wheels of some packages (name -> version) with the certificates of a folder."""
    wheels = {_file(name, version): _wheel(name, version) for name, version in packages.items()}
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self._answer(body=False)

        def do_GET(self) -> None:
            self._answer(body=True)

        def _answer(self, *, body: bool) -> None:
            path = unquote(self.path)
            asked.append(path)
            content = _page(path, wheels) if path.endswith("/") else wheels.get(path.removeprefix("/wheels/"), b"")
            self.send_response(HTTPStatus.OK if content else HTTPStatus.NOT_FOUND)
            self.send_header("Content-Type", "text/html" if path.endswith("/") else "application/octet-stream")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if body:
                self.wfile.write(content)

        def log_request(self, _code: int | str = "-", _size: int | str = "-") -> None:
            """Say nothing of each request."""

    with vendor_host.serve(folder, Handler) as address:
        # pip of Debian 13 fails at an index whose host is an address (ValueError: check_hostname requires server_hostname).
        yield Index(address=f"{address.replace('127.0.0.1', 'localhost')}/simple", wheels=wheels, asked=asked)


def _page(path: str, wheels: Mapping[str, bytes]) -> bytes:
    """Return the page of a package in the form of PEP 503, or nothing."""
    name = path.removeprefix("/simple/").strip("/").replace("-", "_")
    links = [
        f'<a href="/wheels/{quote(file)}#sha256={hashlib.sha256(data).hexdigest()}">{file}</a>'
        for file, data in wheels.items()
        if file.startswith(f"{name}-")
    ]
    return f"<!DOCTYPE html><html><body>{''.join(links)}</body></html>".encode() if links else b""


def _file(name: str, version: str) -> str:
    return f"{name.replace('-', '_')}-{version}-py3-none-any.whl"


def _wheel(name: str, version: str) -> bytes:
    folder, info = SOURCES / name, f"{name.replace('-', '_')}-{version}.dist-info"
    members = {path.relative_to(folder).as_posix(): path.read_text() for path in sorted(folder.rglob("*.py"))}
    members = {path: text.replace("@VERSION@", version) for path, text in members.items()}
    needs = "".join(f"Requires-Dist: {need}\n" for need in _NEEDS[name])
    members[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}"
    members[f"{info}/WHEEL"] = "Wheel-Version: 1.0\nGenerator: e2e\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    if name in _SCRIPTS:
        members[f"{info}/entry_points.txt"] = _SCRIPTS[name]
    members[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in (*members, f"{info}/RECORD"))
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as packed:
        for path, text in members.items():
            packed.writestr(zipfile.ZipInfo(path, _MOMENT), text)
    return sink.getvalue()
