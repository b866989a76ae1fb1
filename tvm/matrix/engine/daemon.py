"""The process of the private engine: started, waited for, ended, and cleaned up after."""

import json
import os
import shutil
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tvm.error import CompileError, EngineError
from tvm.matrix.engine import install, subnet
from tvm.matrix.engine.discover import Connection, Endpoint, connect
from tvm.matrix.engine.layout import Layout
from tvm.matrix.engine.printed import last_lines
from tvm.matrix.owner import start_time
from tvm.matrix.results import storage
from tvm.support import process

# Seconds until a started dockerd must answer, and for one that is told to end.
_START_LIMIT = 60.0
_STOP_LIMIT = 30.0
_POLL = 0.1
_TOOL_LIMIT = 30.0
_SHOWN_LINES = 20
_WITHOUT = "from now on, until the next boot, cells run on this machine's own tools (--engine local)"

_PROC = Path("/proc")


class CannotRunError(EngineError):
    """This kernel, or the sandbox around us, has not what dockerd needs: it ended by itself, or was refused its bridge."""


@dataclass(frozen=True, kw_only=True)
class State:
    """The dockerd that we started: pid and start time in clock ticks since boot."""

    pid: int
    start: int

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return start_time(self.pid) == self.start


def read_state(layout: Layout) -> State | None:
    """Return what was started; None if nothing was."""
    try:
        content = json.loads(layout.state.read_text(encoding="utf-8"))
        return State(pid=int(content["pid"]), start=int(content["start"]))
    except FileNotFoundError:
        return None
    except PermissionError:
        msg = f"{layout.state} cannot be read by this user"
        raise EngineError(msg, fix="the private engine is root's: run this as root") from None
    except (ValueError, KeyError, TypeError):
        msg = f"{layout.state} is damaged, so that it is unknown which dockerd is ours"
        raise EngineError(
            msg, fix=f"end it by hand (its pid is in {layout.pidfile}), then remove {layout.run}"
        ) from None


def endpoint(layout: Layout) -> Endpoint:
    """Return where the private engine answers."""
    return Endpoint(address=layout.address, origin="our private engine")


def running() -> list[int]:
    """Return the pids of every dockerd on this machine."""
    return sorted(pid for pid in _pids() if _name(pid) == "dockerd" and start_time(pid) is not None)


def start(layout: Layout) -> Connection:
    """Start dockerd and return a connection to it. If it does not answer in time it is ended, and its log's end is the error."""
    clean(layout)
    with storage(layout.run):
        layout.run.mkdir(mode=0o700, parents=True)
        layout.config.write_text("{}\n", encoding="ascii")
    with storage(layout.home):
        layout.data.mkdir(mode=0o710, parents=True, exist_ok=True)
        layout.log.unlink(missing_ok=True)
    _make_bridge(layout)
    with storage(layout.log):
        pid = process.spawn_daemon(["dockerd", *layout.arguments()], log=layout.log, env=install.environment())
    state = State(pid=pid, start=start_time(pid) or 0)
    _write_state(layout, state)
    connection = _wait(layout, state)
    if connection is None:
        raise _dead(layout, state)
    # dockerd gives its socket to a group; the private one is root's alone.
    layout.socket.chmod(0o600)
    return connection


def _dead(layout: Layout, state: State) -> EngineError:
    """End what does not answer, and return the error: one that ended by itself is told from one that hangs."""
    alone = not state.alive
    end(state)
    clean(layout)
    tail = last_lines(layout.log.read_text(encoding="utf-8", errors="replace"), _SHOWN_LINES)
    if alone:
        msg = f"dockerd was started, ended by itself and does not answer; the end of {layout.log}:\n{tail}"
        return CannotRunError(
            msg, fix=f"{_WITHOUT}; where the log names what can be mended: mend it and run this again"
        )
    msg = f"dockerd was started and does not answer; the end of {layout.log}:\n{tail}"
    return EngineError(msg, fix="the log says why; nox -s doctor looks for the usual causes")


def end(state: State) -> None:
    """End a dockerd, politely first; containers that run in it are ended by it."""
    for number, limit in ((signal.SIGTERM, _STOP_LIMIT), (signal.SIGKILL, _STOP_LIMIT)):
        if not state.alive:
            return
        os.kill(state.pid, number)
        limit_end = time.monotonic() + limit
        while state.alive and time.monotonic() < limit_end:
            time.sleep(_POLL)


def clean(layout: Layout) -> None:
    """Remove what an ended dockerd left: mounts, the run folder, the bridge. Images and containers stay on the disk."""
    for mount in _mounts_below(layout.run):
        _tool("umount", str(mount))
    if left := _mounts_below(layout.run):
        msg = f"{left[0]} is still mounted, so {layout.run} cannot be removed"
        raise EngineError(msg, fix=f"umount {left[0]}; `fuser -m {left[0]}` says who uses it")
    if layout.run.exists():
        shutil.rmtree(layout.run)
    if _has_bridge(layout):
        _tool("ip", "link", "delete", "dev", layout.bridge)


def _wait(layout: Layout, state: State) -> Connection | None:
    limit_end = time.monotonic() + _START_LIMIT
    while state.alive and time.monotonic() < limit_end:
        if connection := _answer(layout):
            return connection
        time.sleep(_POLL)
    return None


def _answer(layout: Layout) -> Connection | None:
    try:
        return connect(endpoint(layout))
    except EngineError:
        return None


def _write_state(layout: Layout, state: State) -> None:
    draft = layout.state.with_suffix(".new")
    draft.write_text(json.dumps({"pid": state.pid, "start": state.start}) + "\n", encoding="ascii")
    draft.replace(layout.state)


def _has_bridge(layout: Layout) -> bool:
    found = process.run(
        ["ip", "link", "show", "dev", layout.bridge], check=False, env=install.environment(), timeout=_TOOL_LIMIT
    )
    return found.code == 0


def _make_bridge(layout: Layout) -> None:
    try:
        _tool("ip", "link", "add", "name", layout.bridge, "type", "bridge")
        _tool("ip", "addr", "add", subnet.free(layout.subnet, layout.bridge), "dev", layout.bridge)
        _tool("ip", "link", "set", "dev", layout.bridge, "up")
    except EngineError as error:
        raise CannotRunError(error.cause, fix=f"{error.fix}; {_WITHOUT}") from error


def _tool(*argv: str) -> None:
    try:
        process.run(argv, heading=f"{argv[0]} failed", env=install.environment(), timeout=_TOOL_LIMIT)
    except CompileError as error:
        msg = f"the private engine needs `{' '.join(argv)}`, which failed: {error.output.strip()}"
        raise EngineError(
            msg, fix="this needs root with CAP_NET_ADMIN and CAP_SYS_ADMIN; in a container both may be missing"
        ) from error


def _mounts_below(folder: Path) -> list[Path]:
    """Return the mount points below a folder, the deepest first (field 5 of /proc/self/mountinfo, proc(5))."""
    lines = (_PROC / "self" / "mountinfo").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    points = {Path(line.split()[4]) for line in lines}
    return sorted((point for point in points if point != folder and point.is_relative_to(folder)), reverse=True)


def _pids() -> Iterator[int]:
    return (int(entry.name) for entry in _PROC.iterdir() if entry.name.isdigit())


def _name(pid: int) -> str:
    try:
        return (_PROC / str(pid) / "comm").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
