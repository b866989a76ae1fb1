"""Look for what is wrong on this machine, and say how to mend it."""

import importlib.metadata
import os
import platform
import shutil
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timezone
from enum import Enum
from pathlib import Path
from typing import Any, cast

from rich.console import Console
from rich.text import Text

import tvm
from tvm import _peer as _peer_module
from tvm.error import ConfigError, EngineError, ExitCode
from tvm.matrix.engine import base, daemon, discover, hosts, images, install, local, select, shim
from tvm.matrix.engine.client import Client, engine_errors
from tvm.matrix.engine.context import ca_bundle, proxies
from tvm.matrix.engine.discover import Connection, NoEngineError
from tvm.matrix.engine.docker import describe
from tvm.matrix.engine.layout import DEFAULT, Layout
from tvm.matrix.engine.local import LocalEngine
from tvm.matrix.model import Project
from tvm.support.record import strip_credentials
from tvm.support.utils import which

_GIB = 1 << 30
# An image of a toolchain takes 1 to 3 GiB, a build twice that for a moment.
_DISK_LOW, _DISK_OUT = 10 * _GIB, 2 * _GIB
_MEMORY_LOW = 2 * _GIB
# No commit of this project is older, and no certificate lives that long.
_FIRST_YEAR, _LAST_YEAR = 2026, 2100


class Level(Enum):
    """How a finding is to be taken."""

    OK = "ok"
    WARN = "warning"
    BAD = "bad"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing that was looked at, what was seen, and what to do about it."""

    subject: str
    level: Level
    seen: str
    fix: str = ""


def show(project: Project, engine: str | None, console: Console) -> ExitCode:
    """Print every finding; 4 if no engine answers, 1 if anything else is bad."""
    findings = diagnose(project, engine)
    for finding in findings:
        console.print(Text(f"{finding.level.value:<8} {finding.subject}: {finding.seen}"))
        if finding.fix:
            console.print(Text(f"{'':<8} fix: {finding.fix}"))
    bad = {finding.subject for finding in findings if finding.level is Level.BAD}
    if "engine" in bad:
        return ExitCode.ENGINE
    return ExitCode.FAILED if bad else ExitCode.OK


def diagnose(project: Project, engine: str | None = None, layout: Layout = DEFAULT) -> list[Finding]:
    """Look at everything."""
    return [
        *_engine(project, engine, layout),
        *_hosts(project, engine),
        *_docker_program(),
        _private(layout),
        _disk("build folder", project.root),
        _clock(),
        _certificates(),
        _proxies(),
        _python(),
        _nox(),
        _peer(),
        _git(),
    ]


def _engine(project: Project, engine: str | None, layout: Layout) -> Iterator[Finding]:
    kind = engine or os.environ.get("TVM_MATRIX_ENGINE") or "auto"
    if kind not in select.NAMES:
        yield _bad("engine", f"{kind!r} is none", f"one of {', '.join(select.NAMES)}")
        return
    if kind == local.NAME:
        yield _ok("engine", LocalEngine().describe())
        return
    try:
        with closing(discover.find(cast("discover.Kind", kind), private=layout)) as connection:
            yield from _answering(connection, project)
    except NoEngineError as error:
        why = select.why_local() if kind == "auto" else ""
        seen = "; ".join([error.cause, *error.looked])
        yield _warn("engine", LocalEngine(why).describe(), error.fix) if why else _bad("engine", seen, error.fix)
    except EngineError as error:
        yield _bad("engine", "; ".join([error.cause, *error.looked]), error.fix)


def _hosts(project: Project, engine: str | None) -> Iterator[Finding]:
    """Look at each host of `engines` in the matrix, unless the user names one engine for all cells."""
    cells = {} if hosts.overridden(engine, os.environ) else project.matrix.engines
    for host in dict.fromkeys(cells.values()):
        subject = f"host of {', '.join(cell for cell, named in cells.items() if named == host)}"
        try:
            with closing(discover.connect(discover.of_host(host, os.environ))) as connection:
                yield _ok(subject, describe(connection))
        except EngineError as error:
            yield _bad(subject, error.cause, error.fix)


def _docker_program() -> Iterator[Finding]:
    """Tell where `docker` is Podman by another name: what is typed there is Podman's business, and so is its socket."""
    if (program := which("docker")) and shim.is_podman(program):
        yield _ok("docker", f"{program} is Podman's shim (podman-docker); its socket answers as Podman")


def _answering(connection: Connection, project: Project) -> Iterator[Finding]:
    with engine_errors("describe itself"):
        told: dict[str, Any] = connection.client.info()
    yield _ok("engine", describe(connection))
    yield _driver(told)
    yield _memory(told)
    if (root := Path(str(told.get("DockerRootDir", "")))).is_dir():
        yield _disk("engine's disk", root)
    yield from _bases(connection.client, project)


def _driver(told: dict[str, Any]) -> Finding:
    name = str(told.get("Driver", "unknown"))
    if name == "vfs":
        return _warn(
            "storage driver",
            "vfs copies every layer whole",
            "put the engine's data root on ext4 or xfs, not on an overlay",
        )
    return _ok("storage driver", name)


def _memory(told: dict[str, Any]) -> Finding:
    size = int(told.get("MemTotal") or 0)
    seen = f"the engine has {size / _GIB:.1f} GiB"
    return (
        _warn("memory", seen, "give it 2 GiB or more, and run cells one at a time")
        if size < _MEMORY_LOW
        else _ok("memory", seen)
    )


def _bases(client: Client, project: Project) -> Iterator[Finding]:
    """Where a base must still be made, tell whether that can be done without a registry."""
    for suite in sorted({image.suite for image in project.matrix.images.values()}):
        if any(base.inspect(client, one.reference) for one in images.base_recipes(project, suite)):
            yield _ok(f"base of {suite}", "is here")
        elif "mmdebstrap" in install.missing():
            fix = "apt-get install -y mmdebstrap (Debian, Ubuntu); needed only where no registry answers"
            yield _warn(f"base of {suite}", "is not built yet, and mmdebstrap is missing", fix)
        else:
            yield _ok(f"base of {suite}", "is not built yet; mmdebstrap is here")


def _private(layout: Layout) -> Finding:
    try:
        state = daemon.read_state(layout)
    except EngineError as error:
        return _warn("private engine", error.cause, error.fix)
    if state is None:
        return _ok("private engine", "none was started by `nox -s engine`")
    if state.alive:
        return _ok("private engine", f"runs, pid {state.pid}")
    return _warn(
        "private engine",
        f"pid {state.pid} has ended",
        "`nox -s engine` starts it again, `nox -s engine -- stop` cleans up",
    )


def _disk(subject: str, folder: Path) -> Finding:
    free = shutil.disk_usage(folder).free
    seen = f"{free / _GIB:.1f} GiB free at {folder}"
    fix = "`nox -s prune` removes our old images; or free some space"
    if free < _DISK_OUT:
        return _bad(subject, seen, fix)
    return _warn(subject, seen, fix) if free < _DISK_LOW else _ok(subject, seen)


def _clock() -> Finding:
    now = datetime.now(timezone.utc)
    seen = f"{now:%Y-%m-%d %H:%M} UTC"
    if _FIRST_YEAR <= now.year < _LAST_YEAR:
        return _ok("clock", seen)
    return _warn("clock", seen, "set the clock: certificates and Debian's signatures are checked against it")


def _certificates() -> Finding:
    try:
        bundle = ca_bundle(os.environ)
    except ConfigError as error:
        return _bad("certificates", error.cause, error.fix)
    if bundle is None:
        return _warn("certificates", "no CA bundle was found", "install ca-certificates, or set SSL_CERT_FILE")
    return _ok("certificates", f"{bundle}; image builds get it")


def _proxies() -> Finding:
    found = proxies(os.environ)
    listed = ", ".join(f"{name}={strip_credentials(value)}" for name, value in found.items())
    return _ok("proxies", listed or "none")


def _python() -> Finding:
    return _ok("python", f"{platform.python_version()}, tvm-matrix {tvm.__version__}")


def _nox() -> Finding:
    version = _version("nox")
    if version is None and which("nox") is None:
        return _warn("nox", "not found", "pip install 'nox[uv]'; without it use `python -m tvm.matrix`")
    return _ok("nox", version or "on PATH")


def _peer() -> Finding:
    found = _peer_module.installed()
    if found is None:
        return _ok("apache-tvm", "is not in this environment")
    return _bad("apache-tvm", _peer_module.sentence(found), "pip uninstall apache-tvm, or use another environment")


def _git() -> Finding:
    found = which("git")
    return (
        _ok("git", found) if found else _bad("git", "not found", "install git: it tells which files belong to the tree")
    )


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def _ok(subject: str, seen: str) -> Finding:
    return Finding(subject=subject, level=Level.OK, seen=seen)


def _warn(subject: str, seen: str, fix: str) -> Finding:
    return Finding(subject=subject, level=Level.WARN, seen=seen, fix=fix)


def _bad(subject: str, seen: str, fix: str) -> Finding:
    return Finding(subject=subject, level=Level.BAD, seen=seen, fix=fix)
