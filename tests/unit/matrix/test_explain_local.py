"""explain --engine local says what a local run does."""

import tempfile
from pathlib import Path

import pytest

from tests.unit.matrix.engine.local_world import Machine, make_machine
from tests.unit.stand_in import MakeStandIn
from tvm.matrix import plan, tools
from tvm.matrix.engine import BoxOptions, context, local, venv
from tvm.matrix.engine.local_box import LocalBox
from tvm.matrix.explain_local import explain


@pytest.fixture
def machine(tmp_path: Path, stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch) -> Machine:
    monkeypatch.setattr(context, "_CA_FILES", ())
    return make_machine(tmp_path, stand_in, monkeypatch)


def lines_of(machine: Machine) -> list[str]:
    return explain(plan.plan(machine.project, ["host"])).splitlines()


def quiet(_text: str) -> None:
    """Take a step of the progress."""


def runs(lines: list[str]) -> list[str]:
    return [line.strip() for line in lines if line.startswith("    run ")]


def test_the_commands_that_make_the_venv_are_those_that_run(machine: Machine) -> None:
    told = [line.split()[2:] for line in runs(lines_of(machine)) if "tests/matrix" not in line]
    venv.make(machine.project, "host", quiet)
    assert told == machine.made


def test_nothing_is_made(machine: Machine) -> None:
    lines_of(machine)
    assert machine.made == []
    assert not venv.home().exists()


def test_a_venv_that_is_there_is_used_and_its_folders_are_searched(machine: Machine) -> None:
    made = venv.make(machine.project, "host", quiet)
    lines = lines_of(machine)
    assert "    is there, and is used as it is" in lines
    assert [line.removeprefix("  PATH ") for line in lines if line.startswith("  PATH ")] == local.search_folders(
        machine.project, "host", made
    )


def test_the_variables_are_those_of_the_box(machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (cell,) = plan.plan(machine.project, ["host"]).cells
    environment = plan.box_environment(cell, "/src")
    box = LocalBox(BoxOptions(cell="host", run_id="run1", limit=60, env=environment), ["/bin"])
    told = dict(line.split()[1].split("=", 1) for line in lines_of(machine) if line.startswith("  environment "))
    assert told == {name: box.environment[name].replace(box.name, "BOX") for name in environment}
    box.close()


def test_each_check_has_its_probes_and_its_command(machine: Machine) -> None:
    lines = lines_of(machine)
    for check in plan.plan(machine.project, ["host"]).cells[0].checks:
        assert f"    run {' '.join(check.command)}" in lines
        for probe in check.probes:
            specifier = tools.local_specifier(probe.tool) or probe.specifier
            assert f"    probe {probe.tool} {specifier}: {' '.join(probe.argv)}" in lines


def test_the_same_machine_gives_the_same_text(machine: Machine) -> None:
    assert lines_of(machine) == lines_of(machine)
