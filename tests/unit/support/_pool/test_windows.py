"""Windows' jobs, with a stand-in for its kernel: a job is a process group here."""

import ctypes
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.unit.support.pool_processes import await_that, below
from tvm.error import PoolError
from tvm.support._pool import windows
from tvm.support._pool.processes import Command
from tvm.support._pool.windows import Job, WindowsLauncher, WindowsProcess

_JOB = 77
_TOLD = "import os, sys, time\nprint(sys.stdin.buffer.read().decode(), sys.argv[1:], os.environ['TMPDIR'], flush=True)\ntime.sleep({0})"


class _Kernel:
    """Records what is asked of it; ending a job kills the processes that were put into it."""

    def __init__(self, refuse: str = "") -> None:
        self.calls: list[str] = []
        self.flags = 0
        self.inside: list[int] = []
        self._refuse = refuse

    def _did(self, name: str, answer: int = 1) -> int:
        self.calls.append(name)
        return 0 if name == self._refuse else answer

    def CreateJobObjectW(self, _attributes: None, _name: None, /) -> int:  # noqa: N802 - the system's name
        return self._did("create", _JOB)

    def SetInformationJobObject(self, job: ctypes.c_void_p, kind: int, limits: Any, size: int, /) -> int:  # noqa: N802 - as above
        assert (job.value, kind, size) == (_JOB, 9, ctypes.sizeof(windows._Limits))
        self.flags = limits._obj.basic.flags
        return self._did("limits")

    def AssignProcessToJobObject(self, _job: ctypes.c_void_p, process: ctypes.c_void_p, /) -> int:  # noqa: N802 - as above
        self.inside.append(process.value or 0)
        return self._did("assign")

    def TerminateJobObject(self, _job: ctypes.c_void_p, _code: int, /) -> int:  # noqa: N802 - as above
        self._end()
        return self._did("terminate")

    def CloseHandle(self, _handle: ctypes.c_void_p, /) -> int:  # noqa: N802 - as above
        self._end()
        return self._did("close")

    def _end(self) -> None:
        for pid in self.inside:
            if Path(f"/proc/{pid}").exists():
                os.kill(pid, signal.SIGKILL)


def _share(own: socket.socket, pid: int) -> bytes:
    return f"shared {own.fileno() > 0} {pid > 0}".encode()


@pytest.fixture
def kernel() -> _Kernel:
    return _Kernel()


@pytest.fixture
def launcher(kernel: _Kernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WindowsLauncher:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return WindowsLauncher(lambda: kernel, _share, lambda child: child.pid)


@pytest.fixture
def sleeper(launcher: WindowsLauncher, tmp_path: Path) -> Iterator[WindowsProcess]:
    with (tmp_path / "out").open("wb") as out:
        command = Command(argv=(sys.executable, "-ISc", _TOLD.format(60)), environment={}, stdout=out)
        process = launcher.launch(command)
    yield process
    process.kill()
    await_that(lambda: process.ended(force=False))
    process.close()
    launcher.close(1.0)


class TestProcess:
    def test_it_gets_its_socket_through_stdin(self, sleeper: WindowsProcess, tmp_path: Path) -> None:
        await_that((tmp_path / "out").read_text)
        (pool,) = tmp_path.glob("tvm-pool-*")

        assert (tmp_path / "out").read_text() == f"shared True True ['--pool', 'stdin'] {pool}/1.0\n"
        assert not sleeper.takes_advance

    def test_it_is_in_its_job_before_it_can_do_anything(self, sleeper: WindowsProcess, kernel: _Kernel) -> None:
        assert kernel.calls == ["create", "limits", "assign"]
        assert kernel.inside == [sleeper.pid]
        assert kernel.flags == 0x2000

    def test_killing_ends_the_job(self, sleeper: WindowsProcess, kernel: _Kernel, tmp_path: Path) -> None:
        assert sleeper.ended(force=False) is None
        sleeper.kill()
        await_that(lambda: sleeper.ended(force=False))

        assert "terminate" in kernel.calls
        assert list(tmp_path.glob("tvm-pool-*/*")) == []

    def test_one_that_does_not_end_itself_is_ended(self, sleeper: WindowsProcess) -> None:
        sleeper.finish()
        ending = sleeper.ended(force=True)

        assert ending is not None
        assert ending.code == -signal.SIGKILL

    def test_its_end_can_be_polled_for(self, launcher: WindowsLauncher, tmp_path: Path) -> None:
        with (tmp_path / "out").open("wb") as out:
            process = launcher.launch(
                Command(argv=(sys.executable, "-ISc", _TOLD.format(0)), environment={}, stdout=out)
            )
        line = process._line
        line.settimeout(30)

        assert line.recv(1) == b""
        await_that(lambda: process.ended(force=False))
        process.close()

    def test_nothing_is_sent_in_advance(self, sleeper: WindowsProcess) -> None:
        sleeper.permit(1)

        assert sleeper.recall(1) == 0


@pytest.mark.parametrize("refuse", ["create", "limits"])
def test_a_system_without_jobs(refuse: str) -> None:
    kernel = _Kernel(refuse)
    with pytest.raises(PoolError, match="gives no job"):
        Job(kernel)

    assert ("close" in kernel.calls) == (refuse == "limits")


def _no_share(_own: socket.socket, _pid: int) -> bytes:
    msg = "no share"
    raise OSError(msg)


@pytest.mark.parametrize(
    ("refuse", "share", "command"),
    [
        ("assign", _share, Command(argv=(sys.executable, "-ISc", _TOLD.format(60)), environment={})),
        ("", _no_share, Command(argv=(sys.executable, "-ISc", _TOLD.format(60)), environment={})),
        ("", _share, Command(argv=("/nonexistent/python",), environment={})),
        ("", _share, Command(argv=(sys.executable,), environment={}, stderr=-7)),
    ],
)
def test_a_worker_that_cannot_be_started_leaves_nothing(
    refuse: str,
    share: Callable[[socket.socket, int], bytes],
    command: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(sys, "_base_executable", command.argv[0])
    kernel = _Kernel(refuse)
    launcher = WindowsLauncher(lambda: kernel, share, lambda child: child.pid)
    before = sorted(os.listdir("/proc/self/fd")), below()  # noqa: PTH208 - names are compared
    with pytest.raises((OSError, ValueError)):
        launcher.launch(command)

    assert (sorted(os.listdir("/proc/self/fd")), below()) == before  # noqa: PTH208 - as above
    assert kernel.calls[-1] == "close"
    launcher.close(1.0)
    assert list(tmp_path.glob("tvm-pool-*")) == []


def test_without_a_folder_for_temporary_files_none_is_made_in_the_root(
    kernel: _Kernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    launcher = WindowsLauncher(lambda: kernel, _share, lambda child: child.pid)
    monkeypatch.setattr(Path, "mkdir", lambda path, **_: pytest.fail(f"{path} is made"))

    assert launcher._temp("1") == {}


def test_the_socket_is_shared_by_what_its_class_inherits() -> None:
    class Base:
        def share(self, pid: int) -> bytes:
            return b"%d" % pid

    class Own(Base):
        """As socket.socket has it from the class in C."""

    assert windows._share(Own(), 5) == b"5"  # type: ignore[arg-type] # a stand-in: no socket can be made here


def test_in_a_virtual_environment_the_interpreter_itself_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "_base_executable", "/base/python")

    assert windows._direct(("/base/python", "-I"), {"A": "1"}) == (["/base/python", "-I"], {"A": "1"})
    assert windows._direct(("/venv/python", "-I"), {"A": "1"}) == (
        ["/base/python", "-I"],
        {"A": "1", "__PYVENV_LAUNCHER__": "/venv/python"},
    )


def test_a_job_that_takes_no_process() -> None:
    with pytest.raises(PoolError, match="cannot be put into its job"):
        Job(_Kernel("assign")).add(1)


def test_the_worker_takes_a_socket_from_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    from tvm.exec import popen_worker  # noqa: PLC0415 - the one test of it here

    own, theirs = socket.socketpair()
    monkeypatch.setattr(socket, "fromshare", lambda blob: theirs if blob == b"blob" else None, raising=False)
    monkeypatch.setattr(
        sys, "stdin", type("In", (), {"buffer": type("Raw", (), {"read": staticmethod(lambda: b"blob")})})
    )
    stream = popen_worker._shared()
    stream.write(b"head", b"body")

    assert own.recv(100) == b"headbody"
    stream.close()
    theirs.close()
    own.close()
