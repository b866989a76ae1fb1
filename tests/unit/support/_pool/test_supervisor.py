import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.pool_processes import await_that
from tvm.support._pool import supervisor

_CHILD = "import subprocess, sys, time; subprocess.Popen([sys.executable, '-ISc', 'import time; time.sleep(60)']); time.sleep(60)"


@pytest.fixture
def family() -> Iterator[tuple[int, int]]:
    """Return a process and its child."""
    parent = subprocess.Popen([sys.executable, "-ISc", _CHILD], start_new_session=True)
    await_that(lambda: supervisor.children(parent.pid))
    (child,) = supervisor.children(parent.pid)
    yield parent.pid, child
    supervisor.end_trees({parent.pid})
    parent.wait()


class TestChildren:
    def test_of_a_process(self, family: tuple[int, int]) -> None:
        assert family[0] in supervisor.children(os.getpid())

    def test_by_looking_at_all_processes(self, family: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
        read = supervisor._read

        def without_lists(path: str) -> str:
            if path.endswith("/children"):
                raise FileNotFoundError(path)
            return read(path)

        monkeypatch.setattr(supervisor, "_read", without_lists)
        monkeypatch.setattr(supervisor, "_has_no_lists", lambda: True)

        assert supervisor.children(family[0]) == [family[1]]

    def test_of_a_process_that_is_gone(self) -> None:
        child = subprocess.Popen([sys.executable, "-ISc", ""])
        child.wait()

        assert supervisor.children(child.pid) == []
        assert not supervisor.is_running(child.pid)

    def test_on_macos(self, monkeypatch: pytest.MonkeyPatch) -> None:
        library = _Libproc(list(range(2, 3000)))
        monkeypatch.setattr(supervisor, "SYSTEM", "darwin")
        monkeypatch.setattr(ctypes, "CDLL", lambda path: library if path == "/usr/lib/libproc.dylib" else None)

        assert supervisor.children(1) == list(range(2, 3000))
        assert library.asked == [(1, 1024), (1, 4096)]

    def test_on_a_macos_that_counts_bytes(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A 0 would stop and kill this process's own group."""
        monkeypatch.setattr(supervisor, "SYSTEM", "darwin")
        monkeypatch.setattr(ctypes, "CDLL", lambda _: _Libproc([7, 8], unit=4))

        assert supervisor.children(1) == [7, 8]


class _Libproc:
    """Stands in for the library of macOS that lists processes."""

    def __init__(self, children: list[int], unit: int = 1) -> None:
        self._children, self._unit = children, unit
        self.asked: list[tuple[int, int]] = []

    def proc_listchildpids(self, pid: int, numbers: "ctypes.Array[ctypes.c_int]", size: int) -> int:
        room = size // ctypes.sizeof(ctypes.c_int)
        self.asked.append((pid, room))
        found = self._children[:room]
        for at, number in enumerate(found):
            numbers[at] = number
        return len(found) * self._unit


class TestEnd:
    def test_a_tree(self, family: tuple[int, int]) -> None:
        supervisor.end_trees({family[0]})

        await_that(lambda: not any(map(supervisor.is_running, family)))

    def test_what_is_below_alone(self, family: tuple[int, int]) -> None:
        supervisor.end_below({family[0]})

        assert not supervisor.is_running(family[1])
        assert supervisor.is_running(family[0])

    def test_without_subreapers_the_group_is_ended_too(
        self, family: tuple[int, int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        signalled: list[tuple[int, int]] = []
        monkeypatch.setattr(supervisor, "SYSTEM", "darwin")
        monkeypatch.setattr(supervisor, "_children_by_libproc", lambda _: [])
        monkeypatch.setattr(os, "killpg", lambda group, number: signalled.append((group, number)))
        supervisor.end_trees({family[0]})

        assert signalled == [(family[0], signal.SIGKILL)]

    @pytest.mark.parametrize("system", ["darwin", "freebsd14"])
    def test_systems_without_subreapers_and_process_descriptors(
        self, monkeypatch: pytest.MonkeyPatch, system: str
    ) -> None:
        monkeypatch.setattr(supervisor, "SYSTEM", system)

        assert supervisor._subreaper() is None
        assert supervisor._watch(os.getpid()) is None
        assert supervisor.is_running(os.getpid())


class TestClear:
    def test_the_folder_of_the_last_task_alone(self, tmp_path: Path) -> None:
        pool = tmp_path / "pool"
        for name in ("1.0", "1.2", "1.10", "11.20", "2.30", "1.x"):
            (pool / name).mkdir(parents=True)
            (pool / name / "file").touch()
        supervisor.clear(str(pool), "1")

        assert sorted(path.name for path in pool.iterdir()) == ["1.0", "1.2", "1.x", "11.20", "2.30"]

    @pytest.mark.parametrize("folder", ["", "/nonexistent"])
    def test_there_may_be_none(self, folder: str) -> None:
        supervisor.clear(folder, "1")


def test_without_a_folder_for_temporary_files_none_is_made_in_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    monkeypatch.setattr(os, "mkdir", lambda path, _mode: made.append(path))
    one = object.__new__(supervisor.Supervisor)
    one._folder = ""

    assert one._make_folder("1") == ""
    assert made == []


def test_it_is_a_program_of_the_standard_library_alone(tmp_path: Path) -> None:
    code = "import runpy, sys; runpy.run_path(sys.argv[1]); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, supervisor.__file__],
        stdout=subprocess.PIPE,
        cwd=tmp_path,
        check=True,
        timeout=60,
    )
    loaded = {name.split(b".")[0].decode() for name in done.stdout.split()}

    assert loaded <= {*sys.stdlib_module_names, *sys.builtin_module_names, "__main__"}
    assert {"socket", "subprocess", "shutil", "pathlib"}.isdisjoint(loaded)
