"""Find the engine that answers: named by the user, of the current context, our private one, the default one, Podman's."""

import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from docker.context import ContextAPI
from docker.errors import DockerException
from docker.tls import TLSConfig
from docker.utils import kwargs_from_env

from tvm.error import EngineError
from tvm.matrix.engine import install, layout, tunnel
from tvm.matrix.engine.client import FIX, Client, engine_errors, reason
from tvm.matrix.engine.tunnel import SCHEME, Tunnel, TunnelError
from tvm.support.utils import which

Kind = Literal["auto", "docker", "podman"]

# Seconds that an engine may take to say that it is there, and to answer any other request.
_PING_LIMIT = 3
_REQUEST_LIMIT = 120

# Ours names one engine for all cells; docker's own is what any client of this machine means.
OWN_VARIABLE, _DOCKERS_VARIABLE = "TVM_MATRIX_DOCKER_HOST", "DOCKER_HOST"

_DEFAULT_SOCKET = Path("/var/run/docker.sock")
_PODMAN_SOCKET = Path("/run/podman/podman.sock")
# Where `engines` of the matrix stands, and what takes all cells elsewhere.
HOSTS = "matrix.yaml, engines"
_INSTEAD = "run all cells on one engine: --engine docker or podman, or TVM_MATRIX_DOCKER_HOST"
_PROGRAMS = ("docker", "dockerd", "podman")


class NoEngineError(EngineError):
    """Nothing answers, and nothing was named."""


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """An address where an engine may answer, and who named it. One that the user `named` must answer."""

    address: str
    origin: str
    named: bool = False
    tls: TLSConfig | None = None

    def __str__(self) -> str:
        return f"{self.address} ({self.origin})"


@dataclass(frozen=True, kw_only=True)
class Connection:
    """An engine that answered."""

    client: Client
    endpoint: Endpoint
    name: str  # "docker" or "podman"
    version: str
    tunnel: Tunnel | None = None

    def close(self) -> None:
        """Let go of its sockets, and of the way to another machine."""
        self.client.close()
        if self.tunnel:
            self.tunnel.close()


def endpoints(environ: Mapping[str, str], private: layout.Layout = layout.DEFAULT) -> list[Endpoint]:
    """Return the addresses to try, in order. What a variable names stands alone: nothing else is tried instead."""
    for variable in (OWN_VARIABLE, _DOCKERS_VARIABLE):
        if host := environ.get(variable):
            return [_from_variable(variable, host, environ)]
    if name := environ.get("DOCKER_CONTEXT"):
        found = _from_context(name, f"context {name!r}, DOCKER_CONTEXT")
        if found is None:
            msg = f"DOCKER_CONTEXT names the context {name!r}, which has no address"
            raise EngineError(msg, fix="`docker context ls` lists them; unset DOCKER_CONTEXT, or name one of those")
        return [found]
    runtime = environ.get("XDG_RUNTIME_DIR")
    current = _from_context(None, "the current docker context")
    podman = [_PODMAN_SOCKET, *([Path(runtime) / "podman" / "podman.sock"] if runtime else [])]
    return [
        *([current] if current else []),
        Endpoint(address=private.address, origin="our private engine"),
        Endpoint(address=f"unix://{_DEFAULT_SOCKET}", origin="the default socket"),
        *(Endpoint(address=f"unix://{path}", origin="Podman's socket") for path in podman),
    ]


def of_host(host: str, environ: Mapping[str, str]) -> Endpoint:
    """Return where `engines` in matrix.yaml leads: the name of a docker context, or an address."""
    if "://" in host:
        return _from_variable(HOSTS, host, environ)
    found = _from_context(host, HOSTS)
    if found is None:
        msg = f"{HOSTS} names the docker context {host!r}, which this machine does not have"
        raise EngineError(msg, fix=f"docker context create {host} --docker host=ssh://USER@HOST; or {_INSTEAD}")
    return replace(found, origin=f"{HOSTS}: context {host}")


def find(
    kind: Kind = "auto", environ: Mapping[str, str] | None = None, private: layout.Layout = layout.DEFAULT
) -> Connection:
    """Return a connection to the first engine of this kind that answers."""
    looked: list[str] = []
    for endpoint in endpoints(os.environ if environ is None else environ, private):
        try:
            connection = connect(endpoint)
        except EngineError as error:
            if endpoint.named:
                raise
            looked.append(f"{endpoint}: {error.cause}")
            continue
        if kind in {"auto", connection.name}:
            return connection
        connection.close()
        looked.append(f"{endpoint}: this is {connection.name}, not {kind}")
    wanted = "container engine" if kind == "auto" else f"{kind} engine"
    msg = f"no {wanted} answers"
    raise NoEngineError(msg, fix=FIX, looked=looked)


def installed(environ: Mapping[str, str], private: layout.Layout = layout.DEFAULT) -> bool:
    """Say whether this machine has an engine, or a client of one: a program, a socket, or an address that was configured."""
    path = install.environment()["PATH"]
    if any(which(program, path=path) for program in _PROGRAMS):
        return True
    addresses = (endpoint.address for endpoint in endpoints(environ, private))
    return any(not one.startswith("unix://") or Path(one.removeprefix("unix://")).exists() for one in addresses)


def connect(endpoint: Endpoint) -> Connection:
    """Return a connection, or raise an EngineError that says why there is none."""
    if not endpoint.address.startswith(SCHEME):
        return _answered(endpoint, endpoint.address, None)
    try:
        way = tunnel.open_tunnel(endpoint.address)
    except TunnelError as error:
        raise EngineError(
            _sentence(endpoint, error.cause), fix=error.fix or tunnel.fix(endpoint.address), looked=error.looked
        ) from error
    try:
        return _answered(endpoint, way.address, way)
    except BaseException:
        way.close()
        raise


def _answered(endpoint: Endpoint, address: str, way: Tunnel | None) -> Connection:
    if why := _unusable(address):
        raise EngineError(_sentence(endpoint, why), fix=_fix(endpoint, why))
    try:
        client = Client(address, version="auto", timeout=_PING_LIMIT, tls=endpoint.tls or False)
    except (DockerException, OSError, ValueError, ImportError) as error:
        why = _unanswered(way) if way else reason(error)
        raise EngineError(_sentence(endpoint, why), fix=_fix(endpoint, why)) from error
    client.timeout = _REQUEST_LIMIT
    with engine_errors("tell its version"):
        told: Any = client.version()
    parts = [str(part.get("Name", "")) for part in told.get("Components") or ()]
    podman = any("podman" in part.lower() for part in parts)
    return Connection(
        client=client,
        endpoint=endpoint,
        name="podman" if podman else "docker",
        version=str(told.get("Version", "unknown")),
        tunnel=way,
    )


def _unanswered(way: Tunnel) -> str:
    told = way.said()
    return f"ssh gets there, but no engine answers at {way.remote}" + (f" ({told})" if told else "")


def _unusable(address: str) -> str:
    """Return why nobody listens on a unix socket, or nothing; the SDK would leave its own socket open."""
    if not address.startswith("unix://"):
        return ""
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(_PING_LIMIT)
        try:
            probe.connect(address.removeprefix("unix://"))
        except FileNotFoundError:
            return "no socket is there"
        except OSError as error:
            return error.strerror or str(error)
    return ""


def _sentence(endpoint: Endpoint, why: str) -> str:
    return (
        f"{endpoint.origin} names an engine at {endpoint.address}, but it does not answer: {why}"
        if endpoint.named
        else why
    )


def _fix(endpoint: Endpoint, why: str) -> str:
    if endpoint.address.startswith(SCHEME):
        return tunnel.fix(endpoint.address)
    if "ermission" in why:
        return "run as root, or add this user to the group that owns the socket (docker) and log in again"
    if endpoint.origin.startswith(HOSTS):
        return f"start that engine, or {_INSTEAD}"
    if endpoint.named:
        return f"start that engine, or unset {endpoint.origin} so that others are looked for"
    return FIX


def _from_variable(variable: str, host: str, environ: Mapping[str, str]) -> Endpoint:
    try:
        options = kwargs_from_env(environment={**environ, "DOCKER_HOST": host})
    except DockerException as error:
        msg = f"{variable} is {host!r}, but its TLS settings cannot be used: {error}"
        raise EngineError(msg, fix="correct DOCKER_CERT_PATH and DOCKER_TLS_VERIFY") from error
    tls = options.get("tls")
    return Endpoint(address=host, origin=variable, named=True, tls=tls if isinstance(tls, TLSConfig) else None)


def _require_readable(name: str | None) -> None:
    """Refuse a context that the SDK would not see: it looks beside config.json, which `docker context create` does not write."""
    folder = Path(os.environ.get("DOCKER_CONFIG") or Path.home() / ".docker")
    if name and (folder / "contexts").is_dir() and not (folder / "config.json").is_file():
        msg = f"the docker context {name!r} cannot be read: {folder / 'config.json'} is missing"
        raise EngineError(msg, fix="write {} into that file, as docker itself does once it keeps a setting")


def _from_context(name: str | None, origin: str) -> Endpoint | None:
    """Return where a docker context leads; None for the default context and for one that is not there."""
    _require_readable(name)
    try:
        context: Any = ContextAPI.get_context(name)
        host = None if context is None or context.Name == "default" else context.Host
        tls = context.TLSConfig if host else None
    except Exception as error:
        msg = f"the docker context cannot be read: {error}"
        raise EngineError(
            msg, fix="`docker context use default`, or mend the files under ~/.docker/contexts"
        ) from error
    if not host:
        return None
    named = name is not None
    return Endpoint(address=host, origin="DOCKER_CONTEXT" if named else origin, named=named, tls=tls)
