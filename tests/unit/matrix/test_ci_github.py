"""The workflow is generated: small rights, pinned actions, one job for each cell."""

import json
import re
from pathlib import Path
from typing import Any

import yaml

from tests.unit.matrix.projects import TEXT, make_project
from tvm.matrix import _toml
from tvm.matrix.ci import PARTS
from tvm.matrix.ci_github import WORKFLOW, matrix_text, workflow_text
from tvm.matrix.loader import load

_CI = TEXT + "    ci: true\n"
_REPOSITORY = Path(__file__).parents[3]


def workflow(root: Path, text: str = _CI) -> Any:
    return yaml.safe_load(workflow_text(make_project(root, text)))


def test_the_matrix_is_one_line_with_the_cells_for_ci(tmp_path: Path) -> None:
    project = make_project(tmp_path, _CI + "  other:\n    image: host\n    checks: {tar: []}\n")
    text = matrix_text(project)
    assert json.loads(text) == {"include": [{"cell": "host"}]}
    assert "\n" not in text


def test_the_committed_workflow_is_the_generated_one() -> None:
    committed = (_REPOSITORY / WORKFLOW).read_text(encoding="utf-8")
    assert committed == workflow_text(load(_REPOSITORY)), f"python -m tvm.matrix ci --format github > {WORKFLOW}"


def test_the_workflow_may_read_and_nothing_else(tmp_path: Path) -> None:
    made = workflow(tmp_path)
    assert made["permissions"] == {"contents": "read"}
    assert not [job for job in made["jobs"].values() if "permissions" in job]


def test_no_job_keeps_the_checkout_s_credentials(tmp_path: Path) -> None:
    steps = [step for job in workflow(tmp_path)["jobs"].values() for step in job["steps"]]
    checkouts = [step for step in steps if step.get("uses", "").startswith("actions/checkout@")]
    assert [step["with"] for step in checkouts] == [{"persist-credentials": False}] * 4


def test_every_action_is_pinned_by_the_commit_of_the_table(tmp_path: Path) -> None:
    used = re.findall(r"uses: (\S+)@(\S+) # (\S+)", workflow_text(make_project(tmp_path, _CI)))
    pins = {name: (pin["commit"], pin["version"]) for name, pin in _toml.table("actions.toml").items()}
    assert {name: (commit, version) for name, commit, version in used} == pins


def test_every_pin_is_a_full_commit_and_names_where_it_was_read() -> None:
    pins = _toml.table("actions.toml").values()
    assert all(re.fullmatch("[0-9a-f]{40}", pin["commit"]) and pin["source"] for pin in pins)


def test_the_place_of_a_pin_stands_above_its_use(tmp_path: Path) -> None:
    text = workflow_text(make_project(tmp_path, _CI))
    for name, pin in _toml.table("actions.toml").items():
        assert re.search(rf"# {re.escape(pin['source'])}\n *(- )?uses: {name}@", text)


def test_a_cell_s_name_reaches_the_shell_as_a_variable_only(tmp_path: Path) -> None:
    steps = [step for job in workflow(tmp_path)["jobs"].values() for step in job["steps"]]
    assert not [step for step in steps if "${{" in step.get("run", "")]


def test_a_cell_s_job_runs_the_readme_s_command_and_always_keeps_the_results(tmp_path: Path) -> None:
    run, upload = workflow(tmp_path)["jobs"]["cell"]["steps"][-2:]
    assert run["run"] == "python3 -m venv .venv && .venv/bin/pip install 'nox[uv]' && .venv/bin/nox -s engine \"$CELL\""
    assert run["env"] == {"CELL": "${{ matrix.cell }}"}
    assert upload["if"] == "always()"
    folder = "build/matrix/${{ matrix.cell }}"
    assert upload["with"]["path"].splitlines() == [folder, f"{folder}.failed"]


def test_a_cell_s_job_outlasts_the_cell(tmp_path: Path) -> None:
    minutes = workflow(tmp_path, _CI.replace("timeout: 60", "timeout: 14400"))["jobs"]["cell"]["timeout-minutes"]
    assert minutes * 60 > 2 * 14400


def test_without_a_cell_for_ci_there_is_no_such_job(tmp_path: Path) -> None:
    assert set(workflow(tmp_path, TEXT)["jobs"]) == {"cells", "house"}


def test_no_marker_is_left(tmp_path: Path) -> None:
    assert not re.search("@[A-Z]+@", workflow_text(make_project(tmp_path, _CI)))


def test_every_cell_has_a_runner_and_one_job_joins_their_results(tmp_path: Path) -> None:
    jobs = workflow(tmp_path)["jobs"]
    report = jobs["report"]
    assert (report["needs"], report["if"]) == ("cell", "!cancelled()")
    download = next(step for step in report["steps"] if step.get("uses", "").startswith("actions/download-artifact@"))
    assert download["with"] == {"pattern": "cell-*", "path": PARTS}
    uploaded = jobs["cell"]["steps"][-1]["with"]["name"]
    assert uploaded == "cell-${{ matrix.cell }}"


def test_the_joining_job_fails_where_a_cell_is_missing_or_fell_short_and_keeps_the_page(tmp_path: Path) -> None:
    *_, merge, coverage, upload = workflow(tmp_path)["jobs"]["report"]["steps"]
    assert merge["run"] == f".venv/bin/python -m tvm.matrix merge {PARTS}"
    assert coverage["run"] == ".venv/bin/python -m tvm.matrix coverage"
    assert (upload["if"], upload["with"]) == ("always()", {"name": "report", "path": "build/matrix"})


def test_on_a_runner_the_hosts_of_the_matrix_are_passed_over(tmp_path: Path) -> None:
    assert "env" not in workflow(tmp_path)
    (tmp_path / "spread").mkdir()
    assert workflow(tmp_path / "spread", f"{_CI}engines: {{host: far}}\n")["env"] == {"TVM_MATRIX_ENGINE": "docker"}


def test_without_a_cell_for_ci_nothing_is_joined(tmp_path: Path) -> None:
    assert set(workflow(tmp_path, TEXT)["jobs"]) == {"cells", "house"}
