"""Further engines on this machine, each with folders of its own: Podman, a second dockerd on TCP, an ssh server before one."""

import os
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.e2e import debian, vendor_host
from tests.e2e.engine import hand_over
from tests.e2e.registry import free_port
from tvm.error import EngineError
from tvm.matrix.engine import daemon, discover, install
from tvm.matrix.engine.client import Client
from tvm.matrix.engine.discover import Endpoint
from tvm.matrix.engine.layout import Layout
from tvm.support import process
from tvm.support.utils import which

# Program -> the Debian packages that it needs: Podman starts a box with catatonit, and only recommends it.
_PACKAGES = {"podman": ("podman", "catatonit"), "sshd": ("openssh-server",), "ssh": ("openssh-client",)}
# Seconds for a server to listen, and for one to end.
_START, _END = 30.0, 30.0
_CLIENT_KEYS = {"ca.crt": "ca.pem", "host.crt": "cert.pem", "host.key": "key.pem"}
# Less than Podman's own defaults, which a machine may be too small for.
_LIMITS = '[containers]\ndefault_ulimits = ["nofile={files}:{files}", "nproc=8192:8192"]\n'


@dataclass(frozen=True, kw_only=True)
class Host:
    """An engine: what a run must have in its environment to use it, where the manifest says that it ran, our own client."""

    address: str
    kind: str
    client: Client
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def variables(self) -> dict[str, str]:
        """The environment of a run all of whose cells are to run there."""
        return {"TVM_MATRIX_DOCKER_HOST": self.address, **self.environment}


@contextmanager
def podman(base: str, source: Client) -> Iterator[tuple[Host, ...]]:
    """Run Podman's service on a socket and on TCP; `base` is taken over from another engine. Yield both ways to it."""
    _install("podman")
    folder = Path(tempfile.mkdtemp(prefix="tvm-e2e-"))
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    (folder / "containers.conf").write_text(_LIMITS.format(files=files), encoding="utf-8")
    addresses = (f"unix://{folder}/podman.sock", f"tcp://127.0.0.1:{free_port()}")
    started = [_serve_podman(folder, address) for address in addresses]
    try:
        with closing(_answer(addresses[0])) as unix, closing(_answer(addresses[1])) as tcp:
            hand_over(source, unix.client, base)
            yield tuple(_reached(one) for one in (unix, tcp))
    finally:
        for service in started:
            service.terminate()
            service.wait(_END)
        _remove(folder)


@contextmanager
def dockerd(base: str, source: Client) -> Iterator[Host]:
    """Run a second private engine, which listens on TCP with TLS on both sides; `base` is taken over from another engine."""
    folder = Path(tempfile.mkdtemp(prefix="tvm-e2e-"))
    vendor_host.make_certificates(folder)
    for name, clients in _CLIENT_KEYS.items():
        shutil.copy(folder / name, folder / clients)
    layout = _Listening(
        run=folder / "run",
        home=folder / "home",
        bridge=f"tvm-{os.getpid() % 100000}",
        namespace=folder.name,
        certificates=folder,
        port=free_port(),
    )
    layout.home.mkdir()
    told = {"DOCKER_TLS_VERIFY": "1", "DOCKER_CERT_PATH": str(folder)}
    with closing(daemon.start(layout)) as connection:
        state = daemon.read_state(layout)
        assert state
        try:
            hand_over(source, connection.client, base)
            address = f"tcp://127.0.0.1:{layout.port}"
            yield Host(address=address, kind="docker", client=connection.client, environment=told)
        finally:
            daemon.end(state)
            daemon.clean(layout)
            _remove(folder)


@dataclass(frozen=True, kw_only=True)
class Ssh:
    """An ssh server of this machine that lets root in by a key; `environment` has a client that holds the key, first on PATH."""

    port: int
    folder: Path
    environment: Mapping[str, str]

    def address(self, socket: Path) -> str:
        """Return how a run names an engine behind it."""
        return f"ssh://root@127.0.0.1:{self.port}{socket}"

    def forget_host(self) -> None:
        """Let the client know no server any more."""
        (self.folder / "known_hosts").write_text("", encoding="utf-8")


@contextmanager
def sshd() -> Iterator[Ssh]:
    """Run an ssh server on a port of 127.0.0.1 with keys of its own."""
    for program in ("ssh", "sshd"):
        _install(program)
    with tempfile.TemporaryDirectory(prefix="tvm-e2e-") as name:
        folder, port = Path(name), free_port()
        _write_keys(folder, port)
        # The server's own folder, which its package's start script makes.
        Path("/run/sshd").mkdir(exist_ok=True)
        server = _program("sshd")
        command = [server, "-D", "-f", str(folder / "sshd_config"), "-E", str(folder / "sshd.log")]
        started = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        try:
            path = os.pathsep.join([str(folder / "bin"), os.environ["PATH"]])
            found = Ssh(port=port, folder=folder, environment={"PATH": path})
            _await_login(found)
            yield found
        finally:
            started.terminate()
            started.wait(_END)


@dataclass(frozen=True, kw_only=True)
class _Listening(Layout):
    certificates: Path
    port: int

    def arguments(self) -> list[str]:
        keys = [
            f"--tls{kind}={self.certificates / name}"
            for kind, name in zip(("cacert", "cert", "key"), _CLIENT_KEYS, strict=True)
        ]
        return [*super().arguments(), f"--host=tcp://127.0.0.1:{self.port}", "--tlsverify", *keys]


def _install(program: str) -> None:
    if which(program, path=install.environment()["PATH"]) is None:
        debian.install(*_PACKAGES[program])


def _program(name: str) -> str:
    found = which(name, path=install.environment()["PATH"])
    assert found
    return found


def _reached(connection: discover.Connection) -> Host:
    return Host(address=connection.endpoint.address, kind=connection.name, client=connection.client)


def _serve_podman(folder: Path, address: str) -> "subprocess.Popen[bytes]":
    places = ["--root", str(folder / "root"), "--runroot", str(folder / "run")]
    with (folder / "podman.log").open("ab") as log:
        return subprocess.Popen(
            ["podman", *places, "system", "service", "--time", "0", address],
            env={**os.environ, "CONTAINERS_CONF": str(folder / "containers.conf")},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )


def _answer(address: str) -> discover.Connection:
    end = time.monotonic() + _START
    while True:
        with suppress(EngineError):
            return discover.connect(Endpoint(address=address, origin="e2e"))
        assert time.monotonic() < end, f"{address} does not answer"
        time.sleep(0.1)


def _remove(folder: Path) -> None:
    for mount in daemon._mounts_below(folder):
        process.run(["umount", mount], timeout=_END)
    shutil.rmtree(folder)


def _write_keys(folder: Path, port: int) -> None:
    for name in ("host", "client"):
        process.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], timeout=_START)
    (folder / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nAuthorizedKeysFile {folder}/client.pub\n"
        f"PidFile {folder}/sshd.pid\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n",
        encoding="utf-8",
    )
    kind, key, *_ = (folder / "host.pub").read_text(encoding="utf-8").split()
    (folder / "known_hosts").write_text(f"[127.0.0.1]:{port} {kind} {key}\n", encoding="utf-8")
    (folder / "ssh_config").write_text(
        f"IdentityFile {folder}/client\nIdentitiesOnly yes\nUserKnownHostsFile {folder}/known_hosts\n", encoding="utf-8"
    )
    client = folder / "bin" / "ssh"
    client.parent.mkdir()
    client.write_text(f'#!/bin/sh\nexec {_program("ssh")} -F {folder}/ssh_config "$@"\n', encoding="utf-8")
    client.chmod(0o755)


def _await_login(found: Ssh) -> None:
    end = time.monotonic() + _START
    command = [str(found.folder / "bin" / "ssh"), "-p", str(found.port), "root@127.0.0.1", "true"]
    while (done := process.run(command, check=False, timeout=_START)).code != 0:
        assert time.monotonic() < end, done.output
        time.sleep(0.1)
