"""The pipeline is generated: a job for each cell, and one that joins the results."""

from pathlib import Path
from typing import Any

import yaml

from tests.unit.matrix.projects import TEXT, make_project
from tvm.matrix.ci import PARTS
from tvm.matrix.ci_gitlab import pipeline_text

_CI = TEXT + "    ci: true\n"
_OTHER = "  other:\n    image: host\n    checks: {tar: []}\n    ci: true\n"


def pipeline(root: Path, text: str = _CI) -> Any:
    return yaml.safe_load(pipeline_text(make_project(root, text)))


def test_every_cell_is_a_job_of_its_own(tmp_path: Path) -> None:
    job = pipeline(tmp_path, _CI + _OTHER)["cell"]
    assert job["parallel"] == {"matrix": [{"CELL": ["host", "other"]}]}
    assert job["script"][-1] == '.venv/bin/nox -s engine "$CELL"'


def test_a_job_always_hands_over_what_it_found(tmp_path: Path) -> None:
    kept = pipeline(tmp_path)["cell"]["artifacts"]
    assert (kept["when"], kept["paths"]) == ("always", ["build/matrix/$CELL", "build/matrix/$CELL.failed"])


def test_a_job_outlasts_its_cell(tmp_path: Path) -> None:
    minutes, unit = pipeline(tmp_path, _CI.replace("timeout: 60", "timeout: 14400"))["cell"]["timeout"].split()
    assert (int(minutes) * 60 > 2 * 14400, unit) == (True, "minutes")


def test_one_job_joins_the_results_whatever_became_of_the_cells(tmp_path: Path) -> None:
    made = pipeline(tmp_path)
    report = made["report"]
    assert made["stages"] == [made["cell"]["stage"], report["stage"]]
    assert report["when"] == "always"
    assert report["script"][-3:] == [
        f"mkdir -p build/matrix && mv build/matrix {PARTS}",
        f".venv/bin/python -m tvm.matrix merge {PARTS}",
        ".venv/bin/python -m tvm.matrix coverage",
    ]
    assert report["artifacts"]["reports"] == {"junit": "build/matrix/junit.xml"}


def test_a_runner_uses_its_own_engine_whatever_the_matrix_says(tmp_path: Path) -> None:
    assert "variables" not in pipeline(tmp_path)
    (tmp_path / "spread").mkdir()
    text = f"{_CI}engines: {{host: far}}\n"
    assert pipeline(tmp_path / "spread", text)["variables"] == {"TVM_MATRIX_ENGINE": "docker"}


def test_without_a_cell_for_ci_there_is_no_job(tmp_path: Path) -> None:
    assert pipeline(tmp_path, TEXT) == {"stages": ["cells", "report"]}
