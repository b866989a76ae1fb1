"""An engine behind ssh: its socket is forwarded to one of this machine, by the user's own ssh client and settings.

The docker SDK's own way needs a further library or the docker program on the other machine, and knows no time limits.
"""

import atexit
import os
import shutil
import socket
import tempfile
import time
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from tvm.error import EngineError, ToolNotFound
from tvm.matrix.owner import is_alive, owner_id
from tvm.support import process
from tvm.support.process import Tied

SCHEME = "ssh://"
_PREFIX, _SOCKET, _LOG = "tvm-ssh-", "engine.sock", "ssh.log"
_REMOTE = "/var/run/docker.sock"
# Seconds until the other machine's ssh server must have let us in, and what ssh itself gives one try to connect.
_LIMIT, _CONNECT = 30.0, 15
_POLL = 0.02
# Asks nothing, tells when the forwarding cannot be made, and notices when the other machine is gone.
_OPTIONS = (
    *("-o", "BatchMode=yes", "-o", "ExitOnForwardFailure=yes", "-o", f"ConnectTimeout={_CONNECT}"),
    *("-o", "ServerAliveInterval=15", "-o", "ControlMaster=no", "-o", "ControlPath=none"),
)
# Ends when its input does, which is when we end: then ssh ends as well, however that came.
_LEASH = "cat"
# What ssh prints besides why it failed.
_NOISE = ("warning:", "** ", "pseudo-terminal")


class TunnelError(EngineError):
    """There is no way through: `cause` is ssh's own word."""


class Tunnel:
    """A socket of this machine that leads to the engine of another one until it is closed, or this process ends."""

    def __init__(self, folder: Path, program: Tied, remote: str) -> None:
        """`folder` holds our socket and what ssh says, `remote` is the socket on the other machine."""
        self.remote = remote
        self._folder, self._program = folder, program
        atexit.register(self.close)

    @property
    def socket(self) -> Path:
        """The socket on this machine."""
        return self._folder / _SOCKET

    @property
    def address(self) -> str:
        """The socket as clients write it."""
        return f"unix://{self.socket}"

    @property
    def alive(self) -> bool:
        """Whether ssh still runs."""
        return self._program.alive

    def said(self) -> str:
        """Return the last thing that ssh said, or nothing."""
        log = self._folder / _LOG
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.is_file() else []
        told = (line.strip() for line in reversed(lines) if line.strip() and not line.lower().startswith(_NOISE))
        return next(told, "")

    def close(self) -> None:
        """End ssh and remove the socket. A second call does nothing."""
        atexit.unregister(self.close)
        self._program.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def open_tunnel(address: str) -> Tunnel:
    """Return a tunnel to ssh://[USER@]HOST[:PORT][/PATH OF THE SOCKET]; TunnelError in ssh's own words if there is none."""
    _sweep(Path(tempfile.gettempdir()))
    folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{owner_id()}-"))
    try:
        tunnel = _started(address, folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    try:
        _await(tunnel)
    except BaseException:
        tunnel.close()
        raise
    return tunnel


def _sweep(temporary: Path) -> None:
    """Remove what killed runs of this user left; their ssh has ended with them."""
    for folder in temporary.glob(f"{_PREFIX}*"):
        owner = folder.name.removeprefix(_PREFIX).rpartition("-")[0]
        if not is_alive(owner):
            shutil.rmtree(folder, ignore_errors=True)


def _started(address: str, folder: Path) -> Tunnel:
    argv = arguments(address, folder / _SOCKET)
    try:
        program = process.spawn_tied(argv, log=folder / _LOG, env=os.environ)
    except ToolNotFound as error:
        msg = "ssh is not installed here"
        raise TunnelError(msg, fix="install openssh-client", looked=error.looked) from error
    return Tunnel(folder, program, _remote(_parts(address)))


def arguments(address: str, local: Path) -> list[str]:
    """Return ssh's command line; an address that ssh could take for an option, or that holds more than a place, is refused."""
    place = _parts(address)
    port = ["-p", str(place.port)] if place.port else []
    user = ["-l", place.username] if place.username else []
    return ["ssh", *_OPTIONS, "-L", f"{local}:{_remote(place)}", *user, *port, "--", str(place.hostname), _LEASH]


def _remote(place: SplitResult) -> str:
    return _REMOTE if place.path in {"", "/"} else place.path


def fix(address: str) -> str:
    """Return what to do about a tunnel that cannot be had."""
    place = urlsplit(address)
    who = f"{place.username}@{place.hostname}" if place.username else str(place.hostname)
    port = f" -p {place.port}" if place.port else ""
    return (
        f"`ssh{port} {who} true` must work without a question (accept the host's key by hand, give an agent your key);"
        f" the other machine's socket is {_REMOTE}, or the path at the end of the address"
    )


def _parts(address: str) -> SplitResult:
    try:
        place = urlsplit(address)
        port = place.port
    except ValueError:
        raise _refusal(address) from None
    words = [place.hostname or "", *([place.username or ""] if "@" in place.netloc else []), place.path or "/"]
    if port == 0 or place.password is not None or place.query or place.fragment or not all(map(_is_safe, words)):
        raise _refusal(address)
    return place


def _is_safe(word: str) -> bool:
    return bool(word) and word.isprintable() and not word.startswith("-") and ":" not in word


def _refusal(address: str) -> TunnelError:
    msg = f"{address!r} is no address of an engine behind ssh"
    return TunnelError(
        msg, fix="write ssh://HOST, ssh://HOST:PORT or ssh://HOST/PATH/OF/THE/SOCKET, with USER@ before HOST if need be"
    )


def _await(tunnel: Tunnel) -> None:
    end = time.monotonic() + _LIMIT
    while tunnel.alive and time.monotonic() < end:
        if _listens(tunnel.socket):
            return
        time.sleep(_POLL)
    told = tunnel.said() or ("nothing, and waits" if tunnel.alive else "nothing, and ended")
    msg = f"ssh says: {told}"
    raise TunnelError(msg)


def _listens(path: Path) -> bool:
    # The socket is there a moment before ssh listens on it.
    with socket.socket(socket.AF_UNIX) as probe:
        return path.exists() and probe.connect_ex(str(path)) == 0
