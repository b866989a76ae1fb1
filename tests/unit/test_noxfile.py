"""noxfile.py, loaded as nox loads it, but without its effects on this process."""

import importlib.util
import os
import re
import signal
import subprocess
import sys
from collections import OrderedDict
from pathlib import Path
from types import FrameType, ModuleType, SimpleNamespace
from typing import Any

import nox
import nox.registry
import pytest

from tvm.matrix.loader import FIXED_SESSIONS, load

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r"^# /// script\n(?P<lines>(?:#(?: .*)?\n)+)# ///$", re.MULTILINE)


@pytest.fixture
def handlers(monkeypatch: pytest.MonkeyPatch) -> dict[int, Any]:
    """Return which signal handlers noxfile.py has set; this process keeps its own."""
    kept = dict[int, Any]()
    monkeypatch.setattr(signal, "signal", kept.__setitem__)
    return kept


@pytest.fixture
def noxfile(monkeypatch: pytest.MonkeyPatch, handlers: dict[int, Any]) -> ModuleType:
    """Return the module of noxfile.py, its sessions in a registry of their own."""
    assert handlers == {}
    monkeypatch.setattr(nox.registry, "_REGISTRY", OrderedDict())
    monkeypatch.setattr(nox, "options", SimpleNamespace())
    monkeypatch.setattr(nox, "needs_version", None, raising=False)
    monkeypatch.setattr(sys, "path", [*sys.path])
    spec = importlib.util.spec_from_file_location("noxfile_under_test", ROOT / "noxfile.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def sessions(noxfile: ModuleType) -> dict[str, Any]:
    """Return the sessions of noxfile.py by name."""
    assert noxfile.ROOT == ROOT
    return dict(nox.registry.get())


def block() -> dict[str, Any]:
    """Return the PEP 723 block of noxfile.py."""
    (found,) = _BLOCK.finditer((ROOT / "noxfile.py").read_text(encoding="utf-8"))
    return tomllib.loads("".join(line[2:] + "\n" for line in found["lines"].splitlines()))


def project() -> dict[str, Any]:
    """Return the table `project` of pyproject.toml."""
    data: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return data


def test_the_block_names_the_core_the_host_side_of_the_matrix_and_nox() -> None:
    extras = project()["optional-dependencies"]
    (itself,) = (item for item in extras["dev"] if item.startswith("nox[uv]"))
    assert block()["dependencies"] == sorted([*project()["dependencies"], *extras["matrix"], itself])


def test_the_block_asks_for_the_python_of_the_project() -> None:
    assert block()["requires-python"] == project()["requires-python"]


def test_every_session_says_what_it_does(sessions: dict[str, Any]) -> None:
    assert [name for name, function in sessions.items() if not (function.__doc__ or "").endswith(".")] == []


def test_there_is_a_session_per_cell_and_one_for_everything_else(sessions: dict[str, Any]) -> None:
    cells = set(load(ROOT).matrix.cells)
    assert cells <= sessions.keys()
    assert sessions.keys() - cells == FIXED_SESSIONS


def test_no_cell_has_the_name_of_another_session() -> None:
    assert set(load(ROOT).matrix.cells) & FIXED_SESSIONS == set()


def test_cells_run_at_once_without_an_environment_and_with_their_tags(sessions: dict[str, Any]) -> None:
    for name, cell in load(ROOT).matrix.cells.items():
        tags = ["cells", *cell.tags, *(["ci"] if cell.ci else [])]
        session = sessions[name]
        assert (session.python, session.allow_parallel, session.tags) == (False, True, tags)


def test_the_engine_is_not_started_twice_at_once(sessions: dict[str, Any]) -> None:
    assert not sessions["engine"].allow_parallel


class Recorder:
    """A session of nox that only keeps what it is told to run."""

    def __init__(self, *posargs: str) -> None:
        self.posargs = list(posargs)
        self.ran = list[list[str]]()
        self.options = dict[str, Any]()

    def run(self, *arguments: str, **options: Any) -> None:
        """Keep one command line."""
        self.ran.append(list(arguments))
        self.options = options


def ran(sessions: dict[str, Any], name: str, *posargs: str) -> list[str]:
    """Return the words that a session gives to `python -m tvm.matrix`."""
    recorder = Recorder(*posargs)
    sessions[name].func(recorder)
    ((*head, module), words) = ([*recorder.ran[0][:3]], recorder.ran[0][3:])
    assert ([*head, module], recorder.options["external"]) == ([sys.executable, "-m", "tvm.matrix"], True)
    return words


@pytest.mark.parametrize(
    ("posargs", "expected"),
    [
        ([], ["run", "ndk"]),
        (["--keep"], ["run", "ndk", "--keep"]),
        (["build", "a.c", "-o", "a.so"], ["build", "--cell", "ndk", "a.c", "-o", "a.so"]),
    ],
)
def test_a_cell_runs_or_builds(sessions: dict[str, Any], posargs: list[str], expected: list[str]) -> None:
    assert ran(sessions, "ndk", *posargs) == expected


@pytest.mark.parametrize("name", ["engine", "coverage", "report", "doctor", "prune"])
def test_a_session_of_a_subcommand_passes_its_words_on(sessions: dict[str, Any], name: str) -> None:
    assert ran(sessions, name, "x") == [name, "x"]


def test_repro_takes_the_cells_that_are_named_or_all_that_are_marked(sessions: dict[str, Any]) -> None:
    marked = [name for name, cell in load(ROOT).matrix.cells.items() if cell.repro]
    assert (ran(sessions, "repro", "ndk"), ran(sessions, "repro")) == (["repro", "ndk"], ["repro", *marked])


def test_a_runner_has_time_to_remove_its_container(sessions: dict[str, Any]) -> None:
    recorder = Recorder()
    sessions["ndk"].func(recorder)
    assert (recorder.options["interrupt_timeout"], recorder.options["terminate_timeout"]) == (20, 10)


def test_sigterm_reaches_the_children_and_ends_nox_like_an_interrupt(
    noxfile: ModuleType, handlers: dict[int, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert handlers[signal.SIGTERM] is noxfile._terminate
    told = list[tuple[int, int]]()
    monkeypatch.setattr(os, "kill", lambda pid, number: told.append((pid, number)))
    frame: FrameType | None = None
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        with pytest.raises(KeyboardInterrupt):
            noxfile._terminate(signal.SIGTERM, frame)
        assert (child.pid, signal.SIGTERM) in told
