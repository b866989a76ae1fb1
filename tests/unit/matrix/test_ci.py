"""What any CI needs to know: the jobs, what each hands over, and how the results are joined."""

import json
from pathlib import Path
from typing import Any

from tests.unit.matrix.projects import TEXT, make_project
from tvm.matrix import ci
from tvm.matrix.plan import plan

_CI = TEXT + "    ci: true\n"
_OTHER = "  other:\n    image: host\n    checks: {tar: []}\n"


def data(root: Path, text: str = _CI) -> Any:
    return json.loads(ci.json_text(make_project(root, text)))


def test_only_cells_for_ci_are_jobs(tmp_path: Path) -> None:
    assert [job["cell"] for job in data(tmp_path, _CI + _OTHER)["jobs"]] == ["host"]


def test_a_job_says_what_it_runs_and_hands_over(tmp_path: Path) -> None:
    (job,) = data(tmp_path)["jobs"]
    assert job["command"] == ["nox", "-s", "engine", "host"]
    assert job["results"] == ["build/matrix/host", "build/matrix/host.failed"]
    assert job["environment"] == {}
    assert job["minutes"] * 60 > plan(make_project(tmp_path / "again", _CI), ["host"]).cells[0].limit


def test_the_results_are_joined_and_then_measured(tmp_path: Path) -> None:
    merge = data(tmp_path)["merge"]
    assert [command[3:] for command in merge["commands"]] == [["merge", ci.PARTS], ["coverage"]]


def test_the_folder_of_the_parts_is_no_part_of_the_tree() -> None:
    ignored = (Path(__file__).parents[3] / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert f"/{ci.PARTS.split('/', maxsplit=1)[0]}/" in ignored


def test_the_same_matrix_gives_the_same_bytes(tmp_path: Path) -> None:
    project = make_project(tmp_path, _CI)
    assert ci.json_text(project) == ci.json_text(project)


def test_a_runner_uses_its_own_engine_whatever_the_matrix_says(tmp_path: Path) -> None:
    (job,) = data(tmp_path, f"{_CI}engines: {{host: far}}\n")["jobs"]
    assert job["environment"] == {"TVM_MATRIX_ENGINE": "docker"}
