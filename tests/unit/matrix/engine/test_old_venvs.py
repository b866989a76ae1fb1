import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.matrix.engine.local_world import Machine, make_machine
from tests.unit.stand_in import MakeStandIn
from tvm.matrix.engine import context, locks, old_venvs, venv
from tvm.matrix.engine.venv import Venv


@pytest.fixture
def machine(tmp_path: Path, stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch) -> Machine:
    monkeypatch.setattr(context, "_CA_FILES", ())
    return make_machine(tmp_path, stand_in, monkeypatch)


@pytest.fixture
def old(machine: Machine) -> Venv:
    """Return a venv whose lock has changed since."""
    made = venv.make(machine.project, "host", quiet)
    (machine.project.image_folder("base") / "requirements.txt").write_text("numpy==2.5 --hash=sha256:0\n")
    return made


@pytest.fixture
def running(old: Venv) -> Iterator[None]:
    """Let a program run that has the venv on its PATH, as a check has."""
    program = subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, env={"PATH": f"/bin:{old.programs}"}
    )
    yield
    program.communicate(b"\n")


def quiet(_text: str) -> None:
    """Take a step of the progress."""


def removed(machine: Machine, *, everything: bool = False) -> list[str]:
    found = old_venvs.prune(machine.project, everything=everything)
    assert all(one.size > 0 for one in found)
    assert [one.folder.exists() for one in found] == [one.used for one in found]
    return [one.folder.name for one in found if not one.used]


def test_without_venvs_there_is_nothing_to_do(machine: Machine) -> None:
    assert removed(machine) == removed(machine, everything=True) == []


def test_one_of_another_lock_goes_and_that_of_the_lock_stays(machine: Machine, old: Venv) -> None:
    current = venv.make(machine.project, "host", quiet)
    assert removed(machine) == [old.folder.name]
    assert current.whole


def test_everything_is_the_current_one_too(machine: Machine, old: Venv) -> None:
    current = venv.make(machine.project, "host", quiet)
    assert set(removed(machine, everything=True)) == {old.folder.name, current.folder.name}


def test_another_projects_stays(machine: Machine) -> None:
    (venv.home() / "theirs-0123456789abcdef").mkdir(parents=True)
    assert removed(machine) == []


def test_an_image_that_this_machine_cannot_make_a_venv_for_keeps_its_old_ones(machine: Machine, old: Venv) -> None:
    (machine.project.image_folder("base") / "requirements.txt").unlink()
    assert removed(machine) == []
    assert old.whole


@pytest.mark.usefixtures("running")
def test_one_that_a_program_runs_from_stays(machine: Machine, old: Venv) -> None:
    assert removed(machine) == []
    assert [one.used for one in old_venvs.prune(machine.project)] == [True]
    assert old.whole


def test_one_that_is_being_made_stays(machine: Machine, old: Venv) -> None:
    with locks.locked(venv.lock_of(old.folder), quiet):
        assert removed(machine) == []
    assert removed(machine) == [old.folder.name]


def test_a_link_among_them_is_no_venv(machine: Machine, tmp_path: Path) -> None:
    venv.home().mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (venv.home() / "host-0123456789abcdef").symlink_to(tmp_path / "elsewhere")
    assert removed(machine, everything=True) == []
    assert (tmp_path / "elsewhere").is_dir()
