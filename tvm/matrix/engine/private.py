"""`nox -s engine`: find an engine, or start one of our own where that is allowed; its state; its end."""

import os
import time
from collections.abc import Callable
from contextlib import closing

from tvm.error import EngineError
from tvm.matrix import reaper
from tvm.matrix.engine import daemon, discover, install, unable
from tvm.matrix.engine.client import remove_container
from tvm.matrix.engine.discover import Connection, NoEngineError
from tvm.matrix.engine.docker import describe, driver
from tvm.matrix.engine.layout import DEFAULT, Layout
from tvm.matrix.results import storage
from tvm.support.utils import FileLock

Report = Callable[[str], None]

# Seconds that another run may take to install and start an engine, and that a freshly installed one gets to answer.
_LOCK_LIMIT = 1800.0
_SETTLE = 15.0
_QUIET = 3.0
_POLL = 0.2
_SLOW_DRIVER = "vfs"
_AS_ROOT = (
    "start Docker or Podman, or run `nox -s engine` as root: it then starts an engine of its own"
    " (and on Debian and Ubuntu installs one)"
)


def ensure(report: Report, layout: Layout = DEFAULT) -> None:
    """Find an engine that answers, or start ours; report one line about it. If neither can be: an EngineError that says what to do."""
    try:
        connection = discover.find(private=layout)
    except NoEngineError as absent:
        if os.geteuid() != 0:
            raise EngineError(absent.cause, fix=_AS_ROOT, looked=absent.looked) from None
        connection = _provide(report, layout)
    unable.forget(layout)
    with closing(connection):
        _describe(connection, report)


def status(report: Report, layout: Layout = DEFAULT) -> None:
    """Report which engine answers and how ours is; an EngineError if none does."""
    report(f"private engine: {_own_state(layout)}")
    if why := unable.read(layout):
        report(f"dockerd could not run here when it was last started: {why}")
    with closing(discover.find(private=layout)) as connection:
        _describe(connection, report)


def stop(report: Report, layout: Layout = DEFAULT) -> None:
    """End the engine that `nox -s engine` started, its boxes first; its images stay. Another engine is never touched."""
    state = daemon.read_state(layout)
    if state is None:
        report("no engine of ours was started here: nothing to stop")
        return
    with _lock(layout):
        if state.alive:
            _remove_boxes(layout)
            daemon.end(state)
        daemon.clean(layout)
    report(f"stopped our private engine (pid {state.pid}); its images stay in {layout.data}")


def _provide(report: Report, layout: Layout) -> Connection:
    with storage(layout.home):
        layout.home.mkdir(mode=0o711, parents=True, exist_ok=True)
        lock = _lock(layout)
    with lock:
        # Another run may have started one while this one waited.
        if connection := _answering(layout):
            return connection
        if install.install(report) and (connection := _settled(layout)):
            return connection
        if others := daemon.running():
            msg = f"dockerd runs already (pid {others[0]}), but does not answer"
            raise EngineError(
                msg, fix="`nox -s engine -- stop` if it is ours, else `systemctl restart docker`; its log says more"
            )
        report("starting a private engine")
        connection = _started(layout)
    report(f"started; `nox -s engine -- stop` ends it, its log is {layout.log}")
    return connection


def _started(layout: Layout) -> Connection:
    try:
        return daemon.start(layout)
    except daemon.CannotRunError as error:
        unable.record(layout, error.cause)
        raise


def _answering(layout: Layout) -> Connection | None:
    try:
        return discover.find(private=layout)
    except NoEngineError:
        return None


def _settled(layout: Layout) -> Connection | None:
    """Return the system's own engine if its package starts one; nothing once none has run for a moment."""
    end = time.monotonic() + _SETTLE
    quiet = time.monotonic() + _QUIET
    while time.monotonic() < end and (daemon.running() or time.monotonic() < quiet):
        if connection := _answering(layout):
            return connection
        time.sleep(_POLL)
    return None


def _describe(connection: Connection, report: Report) -> None:
    report(describe(connection))
    if driver(connection.client) == _SLOW_DRIVER:
        report(
            "warning: the storage driver vfs copies every layer whole, which is slow and fills the disk\n"
            "fix: put the engine's data root on ext4 or xfs, not on an overlay (in a container: on a volume)"
        )


def _own_state(layout: Layout) -> str:
    try:
        state = daemon.read_state(layout)
    except EngineError as error:
        return error.cause
    if state is None:
        return "not started by `nox -s engine`"
    return f"pid {state.pid} {'runs' if state.alive else 'has ended'}, log {layout.log}"


def _remove_boxes(layout: Layout) -> None:
    try:
        connection = discover.connect(daemon.endpoint(layout))
    except EngineError:
        # It runs and does not answer; it is ended all the same.
        return
    with closing(connection):
        for name, _ in reaper.boxes(connection.client):
            remove_container(connection.client, name)


def _lock(layout: Layout) -> FileLock:
    return FileLock(layout.lock, timeout=_LOCK_LIMIT)
