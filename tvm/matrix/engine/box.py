"""A box: one container with nothing in it but its image, no network, and a program that ends it after its limit."""

import http
import math
import tarfile
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO

from docker.errors import APIError, NotFound
from docker.types import DeviceRequest

from tvm.error import BoxGoneError, CellFailedError, EngineError
from tvm.matrix.engine import BoxOptions, Output, PreparedImage, labels, terminal
from tvm.matrix.engine.client import Client, engine_errors, remove_container
from tvm.matrix.engine.printed import Printed, last_lines
from tvm.matrix.engine.stream import output as read_output
from tvm.matrix.plan import box_command
from tvm.support.process import Completed

# What `timeout` exits with when it ended the program, and when it had to kill it.
_OVERRUN, _KILLED = 124, 137
# Seconds between the polite and the hard end of a program, and seconds more that the engine may take to tell.
_GRACE = 5
_PATIENCE = 30.0
# Seconds that a box which is being taken apart may still look alive, and between two looks.
_ENDING, _LOOK = 2.0, 0.05
# Seconds for unpacking the tree.
_PUT_LIMIT = 300.0
_PROCESSES = 4096
_SHOWN_LINES = 10
_SOURCE_SIZE = "4g"
# Where the tree lies until it is unpacked. The archive API cannot see the tmpfs that it goes into.
_STAGE, _TREE = "/tmp", ".tvm-matrix-tree.tar"  # noqa: S108 - inside a box
_OUT = "/out"
# Sets the umask, which is no option of the engine, and becomes the program.
_WITH_UMASK = 'umask "$0" && exec "$@"'
_SHELL = "if command -v bash >/dev/null; then exec bash; else exec sh; fi"
_UNPACK = 'tar -x -f "$0" -C "$1"; rm -- "$0"; ln -sfn "$2" "$1/out"'


class DockerBox:
    """A running container. See the protocol Box."""

    def __init__(self, client: Client, name: str, options: BoxOptions) -> None:
        """`name` is the container's."""
        self.name = name
        self.environment = options.env
        self._client = client
        self._options = options
        self._open = True

    def put(self, tree: Iterable[bytes]) -> None:
        """Unpack a tar stream into the source folder, and link `out` there to /out."""
        source = self._options.source
        with tempfile.TemporaryFile() as spool:
            for block in tree:
                spool.write(block)
            size = spool.tell()
            spool.seek(0)
            with engine_errors("take the tree"):
                self._client.put_archive(self.name, _STAGE, _one_member(spool, size, self._options.user))
        done = self.run(["sh", "-ec", _UNPACK, f"{_STAGE}/{_TREE}", source, _OUT], timeout=_PUT_LIMIT)
        if done.code != 0:
            msg = f"the tree cannot be unpacked in the box; tar ended with {done.code}:\n{last_lines(done.output, _SHOWN_LINES)}"
            raise EngineError(
                msg, fix=f"a box has {_SOURCE_SIZE} of memory for the tree and what checks write there; nox -s doctor"
            )

    def run(
        self, argv: Sequence[str], *, timeout: float, env: Mapping[str, str] | None = None, output: Output | None = None
    ) -> Completed:
        """Run a program in the source folder; 124 means that it overran `timeout` seconds."""
        command = ["timeout", "-k", str(_GRACE), f"{timeout:.3f}"]
        command += ["sh", "-c", _WITH_UMASK, f"{self._options.umask:04o}", *argv]
        started = time.monotonic()
        printed = Printed()
        with engine_errors(f"run {argv[0]}"):
            call = self._exec(command, env)
            try:
                for piece in self._pieces(call, timeout):
                    printed.add(piece)
                    if output:
                        output(piece)
            except TimeoutError:
                msg = f"the engine did not end {argv[0]} after its limit of {timeout:g} s"
                raise EngineError(msg, fix="nox -s doctor; nox -s engine -- status") from None
            code = self._code(call, argv[0])
        seconds = time.monotonic() - started
        if code == _KILLED and seconds >= timeout:
            code = _OVERRUN
        raw = printed.kept()
        return Completed(argv=tuple(argv), code=code, output=raw.decode(errors="replace"), seconds=seconds, raw=raw)

    def get(self, path: str, sink: BinaryIO) -> None:
        """Write a tar of `path` into `sink`."""
        with engine_errors(f"read {path}"):
            try:
                stream, _ = self._client.get_archive(self.name, path)
            except NotFound as error:
                self._require_there()
                msg = f"the box {self.name} has no {path}"
                raise CellFailedError(msg, fix="see the check's log for why it was not made") from error
            except APIError as error:
                # An engine that is taking the box apart refuses in words of its own.
                if self._has_ended():
                    raise self._gone() from error
                raise
            sink.writelines(stream)

    def shell(self, env: Mapping[str, str]) -> None:
        """Join this terminal to a shell in the source folder, and return when that has ended."""
        with engine_errors("start a shell"):
            made: dict[str, Any] = self._client.exec_create(
                self.name,
                ["sh", "-c", _SHELL],
                environment=dict(env),
                workdir=self._options.source,
                stdin=True,
                tty=True,
            )
        terminal.join(self._client, str(made["Id"]))

    def close(self, *, keep: bool = False) -> None:
        """Remove the box; with `keep` it stays until its limit, under a name that the reaper spares."""
        if not self._open:
            return
        if keep:
            kept = labels.kept_name(self.name)
            with engine_errors(f"keep {self.name}"), self._there():
                self._client.rename(self.name, kept)
            self.name = kept
        else:
            remove_container(self._client, self.name)
        self._open = False

    def _exec(self, command: Sequence[str], env: Mapping[str, str] | None) -> str:
        with self._there():
            made: dict[str, Any] = self._client.exec_create(
                self.name, list(command), environment=dict(env or {}), workdir=self._options.source
            )
        return str(made["Id"])

    @contextmanager
    def _there(self) -> Iterator[None]:
        """Tell what the engine says of a box that has ended from everything else that it refuses."""
        try:
            yield
        except APIError as error:
            if error.status_code not in {http.HTTPStatus.NOT_FOUND, http.HTTPStatus.CONFLICT}:
                raise
            raise self._gone() from error

    def _require_there(self) -> None:
        with self._there():
            self._client.inspect_container(self.name)

    def _has_ended(self) -> bool:
        """Tell whether the box has ended, or does within a moment."""
        last = time.monotonic() + _ENDING
        while time.monotonic() < last:
            try:
                found: dict[str, Any] = self._client.inspect_container(self.name)
            except NotFound:
                return True
            if not found["State"]["Running"]:
                return True
            time.sleep(_LOOK)
        return False

    def _gone(self) -> BoxGoneError:
        limit = self._options.limit
        msg = f"the box {self.name} is gone: its limit of {limit:g} s, a check, or somebody has ended it"
        fix = "is there a check that ends programs which it did not start? Else run again, or raise the cell's timeout"
        return BoxGoneError(msg, fix=fix)

    def _pieces(self, call: str, timeout: float) -> Iterator[bytes]:
        with self._there():
            stream = self._client.exec_start(call, socket=True)
        return read_output(stream, limit=timeout + _GRACE + _PATIENCE)

    def _code(self, call: str, program: str) -> int:
        with self._there():
            told: dict[str, Any] = self._client.exec_inspect(call)
        if told.get("Running") or told.get("ExitCode") is None:
            msg = f"the engine let go of {program} before it ended"
            raise EngineError(msg, fix="run again; if it comes back: nox -s doctor")
        return int(told["ExitCode"])


def start(client: Client, name: str, image: PreparedImage, options: BoxOptions, *, podman: bool = False) -> None:
    """Create and start the container of a box."""
    user = f"{options.user}:{options.user}"
    host = client.create_host_config(
        auto_remove=True,
        init=True,
        network_mode="host" if options.network else "none",
        tmpfs={options.source: tmpfs_options(options, podman=podman)},
        cap_drop=["ALL"],
        security_opt=["no-new-privileges"],
        pids_limit=_PROCESSES,
        device_requests=[DeviceRequest(count=-1, capabilities=[["gpu"]])] if options.gpu else None,
    )
    client.create_container(
        image.image_id,
        list(box_command(math.ceil(options.limit))),
        entrypoint=[],
        name=name,
        hostname=None if options.network else options.hostname,
        user=user,
        environment=dict(options.env),
        working_dir=options.source,
        labels=labels.owner_labels(options.run_id, options.cell),
        host_config=host,
    )
    client.start(name)
    if podman:
        _open_source(client, name, options)


def tmpfs_options(options: BoxOptions, *, podman: bool) -> str:
    """Return the mount options of the folder that the tree goes into: it is the user's, or anybody may write there."""
    # Podman refuses uid and gid (podman-run(1), --tmpfs).
    owner = "mode=1777" if podman else f"uid={options.user},gid={options.user},mode=0755"
    return f"rw,exec,nosuid,nodev,size={_SOURCE_SIZE},{owner}"


def _open_source(client: Client, name: str, options: BoxOptions) -> None:
    """Let the box's user write into its source folder: runc gives a tmpfs the mode of the image's folder, whatever was asked for.

    Root owns it, and needs no capability for this.
    """
    made: dict[str, Any] = client.exec_create(name, ["chmod", "1777", options.source], user="0:0")
    pieces = read_output(client.exec_start(str(made["Id"]), socket=True), limit=_PATIENCE)
    printed = b"".join(pieces).decode(errors="replace").strip()
    told: dict[str, Any] = client.exec_inspect(str(made["Id"]))
    if told.get("ExitCode") != 0:
        msg = f"the box {name} has no folder for the tree: {printed}"
        raise EngineError(msg, fix="nox -s doctor looks for the usual causes")


def _one_member(content: BinaryIO, size: int, user: int) -> Iterator[bytes]:
    """Yield a tar with one file in it, without a second copy on the disk."""
    member = tarfile.TarInfo(_TREE)
    member.size, member.uid, member.gid, member.mode = size, user, user, 0o600
    yield member.tobuf(tarfile.GNU_FORMAT)
    while block := content.read(1 << 20):
        yield block
    yield bytes(-size % tarfile.BLOCKSIZE + 2 * tarfile.BLOCKSIZE)
