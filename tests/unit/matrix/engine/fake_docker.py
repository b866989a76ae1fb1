"""A Docker engine in memory: real HTTP over a unix socket, so that the real client speaks to it."""

import io
import json
import re
import shutil
import socketserver
import tarfile
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

Json = dict[str, Any]
INVENTORY = "/usr/share/tvm-matrix/inventory.json"


@dataclass(frozen=True, kw_only=True)
class Request:
    """What a client asked, without the API's version in the path."""

    method: str
    path: str
    query: dict[str, str]
    body: bytes

    @property
    def json(self) -> Json:
        content: Json = json.loads(self.body)
        return content


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What is sent back; `pieces` one after the other, `cut` ends the connection without the end of the answer."""

    status: int = 200
    pieces: Iterable[bytes] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    upgrade: bool = False
    cut: bool = False


@dataclass(frozen=True, kw_only=True)
class Ran:
    """What a program in a container prints, in pieces, and its exit code; `lost`: the connection ends within a piece."""

    output: tuple[bytes, ...] = ()
    code: int = 0
    lost: bool = False
    wait: float = 0.0


Program = Callable[[list[str]], Ran]
Rule = Callable[[Request, "re.Match[str]"], Answer]


def as_json(content: object, status: int = 200) -> Answer:
    return Answer(status=status, pieces=[json.dumps(content).encode()], headers={"Content-Type": "application/json"})


def refusal(status: int, message: str) -> Answer:
    return as_json({"message": message}, status)


def as_lines(messages: Iterable[Json]) -> Answer:
    return Answer(pieces=((json.dumps(message) + "\r\n").encode() for message in messages))


def one_file(name: str, content: bytes) -> bytes:
    """Return a tar with one file in it."""
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode="w") as listing:
        member = tarfile.TarInfo(name)
        member.size = len(content)
        listing.addfile(member, io.BytesIO(content))
    return sink.getvalue()


def inventory(image: str) -> str:
    """Return what the last step of an image's build writes."""
    return json.dumps({"image": image, "suite": "trixie", "vendor_route": "none", "dpkg": {}, "pip": {}, "tools": {}})


class FakeDocker:
    """The engine's state, its answers, and what it was asked. Tests change all three."""

    def __init__(self, socket: Path) -> None:
        self.address = f"unix://{socket}"
        self.requests: list[Request] = []
        self.version: Json = {"ApiVersion": "1.41", "Version": "20.10.24", "Components": [{"Name": "Engine"}]}
        self.info: Json = {"Driver": "overlay2", "MemTotal": 8 << 30, "DockerRootDir": "/nowhere"}
        self.images: dict[str, Json] = {}
        self.containers: dict[str, Json] = {}
        self.archives: dict[str, bytes] = {}
        self.received: list[tuple[str, bytes]] = []
        self.program: Program = lambda _argv: Ran()
        self.pull: Callable[[str, str], Answer] = lambda _name, _digest: refusal(500, "dial tcp: no such host")
        self.steps: list[Json] = [{"stream": "Step 1/1 : FROM scratch\n"}]
        self.inventory: Callable[[str], str] = inventory
        self.layers = 1000
        self._execs: dict[str, tuple[list[str], Ran]] = {}
        self._rules: list[tuple[str, re.Pattern[str], Rule]] = []
        for method, pattern, rule in self._standard():
            self.on(method, pattern, rule)

    def on(self, method: str, pattern: str, rule: Rule) -> None:
        """Answer by `rule` from now on where method and path match."""
        self._rules.insert(0, (method, re.compile(pattern), rule))

    def refuse(self, method: str, pattern: str, status: int, message: str) -> None:
        self.on(method, pattern, lambda _request, _match: refusal(status, message))

    def cut(self, method: str, pattern: str) -> None:
        """Close the connection instead of answering."""
        self.on(method, pattern, lambda _request, _match: Answer(cut=True))

    def asked(self, method: str, pattern: str) -> list[Request]:
        return [one for one in self.requests if one.method == method and re.fullmatch(pattern, one.path)]

    def answer(self, request: Request) -> Answer:
        self.requests.append(request)
        for method, pattern, rule in self._rules:
            if method == request.method and (match := pattern.fullmatch(request.path)):
                return rule(request, match)
        return refusal(404, f"page not found: {request.method} {request.path}")

    def add_image(self, name: str, labels: Mapping[str, str] | None = None, **more: Any) -> str:
        """Put an image there and return its ID."""
        image_id = f"sha256:{len(self.images) + 1:064x}"
        tags = [name] if ":" in name and "@" not in name and not name.startswith("sha256:") else []
        image = {
            "Id": image_id,
            "RepoTags": tags,
            "Config": {"Labels": dict(labels or {})},
            "Size": 10,
            "Created": 0,
            **more,
        }
        self.images[name] = self.images[image_id] = image
        return image_id

    def _standard(self) -> Iterator[tuple[str, str, Rule]]:
        yield "GET", "/version", lambda _request, _match: as_json(self.version)
        yield "GET", "/info", lambda _request, _match: as_json(self.info)
        yield "GET", "/system/df", lambda _request, _match: as_json({"LayersSize": self.layers})
        yield "GET", "/images/json", self._list_images
        yield "GET", "/images/(.+)/json", self._inspect_image
        yield "DELETE", "/images/(.+)", self._remove_image
        yield "POST", "/images/create", self._create_image
        yield "POST", "/build", self._build
        yield "GET", "/containers/json", self._list
        yield "POST", "/containers/create", self._create
        yield "POST", "/containers/(.+)/start", lambda _request, _match: Answer(status=204)
        yield "POST", "/containers/(.+)/rename", self._rename
        yield "GET", "/containers/(.+)/json", self._inspect
        yield "DELETE", "/containers/(.+)", self._remove
        yield "GET", "/containers/(.+)/archive", self._get
        yield "PUT", "/containers/(.+)/archive", self._put
        yield "POST", "/containers/(.+)/exec", self._exec
        yield "POST", "/exec/(.+)/start", self._exec_start
        yield "GET", "/exec/(.+)/json", self._exec_inspect

    def _list_images(self, request: Request, _match: "re.Match[str]") -> Answer:
        filters: dict[str, list[str]] = json.loads(request.query.get("filters", "{}"))
        unique = {str(image["Id"]): image for image in self.images.values()}
        return as_json([image for image in unique.values() if _selected(image, filters)])

    def _inspect_image(self, _request: Request, match: "re.Match[str]") -> Answer:
        image = self.images.get(match[1])
        return as_json(image) if image else refusal(404, f"No such image: {match[1]}")

    def _remove_image(self, _request: Request, match: "re.Match[str]") -> Answer:
        if match[1] not in self.images:
            return refusal(404, f"No such image: {match[1]}")
        image_id = self.images[match[1]]["Id"]
        self.images = {name: image for name, image in self.images.items() if image["Id"] != image_id}
        return as_json([{"Deleted": match[1]}])

    def _create_image(self, request: Request, _match: "re.Match[str]") -> Answer:
        if request.query.get("fromSrc"):
            image_id = self.add_image("imported", {"org.tvm-matrix": "suite"})
            return as_lines([{"status": image_id}])
        return self.pull(request.query["fromImage"], request.query["tag"])

    def _build(self, request: Request, _match: "re.Match[str]") -> Answer:
        labels = json.loads(request.query.get("labels", "{}"))
        name = json.loads(request.query.get("buildargs", "{}")).get("IMAGE", "")
        ground = re.search(rb"FROM (sha256:[0-9a-f]{64})", request.body)
        text = self.images[ground[1].decode()].get("inventory", "") if ground else self.inventory(name)
        made = request.query.get("t", f"built-{len(self.images)}")
        image_id = self.add_image(made, labels, inventory=text)
        return as_lines([*self.steps, {"aux": {"ID": image_id}}])

    def _list(self, request: Request, _match: "re.Match[str]") -> Answer:
        wanted = json.loads(request.query.get("filters", "{}")).get("label", [])
        found = [one for one in self.containers.values() if _labelled(one["Labels"], wanted)]
        return as_json(found)

    def _create(self, request: Request, _match: "re.Match[str]") -> Answer:
        name = request.query["name"]
        config = request.json
        self.containers[name] = {
            "Id": name,
            "Names": [f"/{name}"],
            "Labels": config.get("Labels") or {},
            "config": config,
        }
        return as_json({"Id": name, "Warnings": []}, 201)

    def _rename(self, request: Request, match: "re.Match[str]") -> Answer:
        if match[1] not in self.containers:
            return refusal(404, f"No such container: {match[1]}")
        self.containers[request.query["name"]] = self.containers.pop(match[1])
        return Answer(status=204)

    def _inspect(self, _request: Request, match: "re.Match[str]") -> Answer:
        found = self.containers.get(match[1])
        return as_json(found) if found else refusal(404, f"No such container: {match[1]}")

    def _remove(self, _request: Request, match: "re.Match[str]") -> Answer:
        gone = self.containers.pop(match[1], None)
        return Answer(status=204) if gone else refusal(404, f"No such container: {match[1]}")

    def _get(self, request: Request, match: "re.Match[str]") -> Answer:
        container = self.containers.get(match[1])
        content = self._archive(container["config"]["Image"], request.query["path"]) if container else None
        if content is None:
            return refusal(404, "Could not find the file")
        return Answer(pieces=[content], headers={"X-Docker-Container-Path-Stat": "e30="})

    def _archive(self, image: str, path: str) -> bytes | None:
        if path == INVENTORY and (text := self.images.get(image, {}).get("inventory")):
            return one_file("inventory.json", text.encode())
        return self.archives.get(path)

    def _put(self, request: Request, _match: "re.Match[str]") -> Answer:
        self.received.append((request.query["path"], request.body))
        return Answer()

    def _exec(self, request: Request, match: "re.Match[str]") -> Answer:
        if match[1] not in self.containers:
            return refusal(404, f"No such container: {match[1]}")
        key = f"exec{len(self._execs)}"
        argv: list[str] = request.json["Cmd"]
        self._execs[key] = (argv, self.program(argv))
        return as_json({"Id": key}, 201)

    def _exec_start(self, _request: Request, match: "re.Match[str]") -> Answer:
        ran = self._execs[match[1]][1]
        return Answer(status=101, pieces=_frames(ran), upgrade=True)

    def _exec_inspect(self, _request: Request, match: "re.Match[str]") -> Answer:
        return as_json({"Running": False, "ExitCode": self._execs[match[1]][1].code})


def _frames(ran: Ran) -> Iterator[bytes]:
    if ran.wait:
        threading.Event().wait(ran.wait)
    for number, piece in enumerate(ran.output):
        # stdout and stderr in turn: the client must keep their order.
        yield bytes([1 + number % 2, 0, 0, 0]) + len(piece).to_bytes(4, "big") + (piece[:-1] if ran.lost else piece)


def _selected(image: Json, filters: dict[str, list[str]]) -> bool:
    if "dangling" in filters and image["RepoTags"]:
        return False
    return _labelled(image["Config"]["Labels"], filters.get("label", []))


def _labelled(labels: Mapping[str, str], wanted: Iterable[str]) -> bool:
    return all(one in labels or one in {f"{name}={value}" for name, value in labels.items()} for one in wanted)


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    block_on_close = False
    fake: FakeDocker


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def _serve(self) -> None:
        url = urlsplit(self.path)
        assert isinstance(self.server, _Server)
        request = Request(
            method=self.command,
            path=unquote(re.sub(r"^/v[0-9.]+", "", url.path)),
            query={name: values[0] for name, values in parse_qs(url.query, keep_blank_values=True).items()},
            body=self._body(),
        )
        try:
            self._send(self.server.fake.answer(request))
        except (BrokenPipeError, ConnectionResetError):
            # The client has gone, as it does when a build is cut off.
            self.close_connection = True

    do_GET = do_POST = do_PUT = do_DELETE = _serve  # noqa: N815 - http.server's names

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - http.server's name
        """Print nothing."""

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def _send(self, answer: Answer) -> None:
        self.close_connection = answer.cut or answer.upgrade
        if answer.cut:
            return
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.upgrade:
            self.send_header("Connection", "Upgrade")
            self.send_header("Upgrade", "tcp")
        elif answer.status == 204:
            self.send_header("Content-Length", "0")
        else:
            self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in answer.pieces:
            self._write(piece, chunked=not answer.upgrade)
        if not answer.upgrade and answer.status != 204:
            self.wfile.write(b"0\r\n\r\n")

    def _write(self, piece: bytes, *, chunked: bool) -> None:
        self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n" if chunked else piece)
        self.wfile.flush()


@contextmanager
def serving() -> Iterator[FakeDocker]:
    """Run an engine for the block."""
    # A socket's path may be 107 bytes long, less than what pytest's folders take.
    folder = Path(tempfile.mkdtemp(prefix="tvm-"))
    socket = folder / "docker.sock"
    fake = FakeDocker(socket)
    server = _Server(str(socket), _Handler)
    server.fake = fake
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield fake
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
        shutil.rmtree(folder)
