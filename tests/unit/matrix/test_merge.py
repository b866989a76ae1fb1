import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.matrix.results_data import TREE, a_run, an_artefact, an_outcome, keep
from tests.unit.matrix.world import bytes_of, make_project
from tvm.error import ConfigError, ExitCode, SourceError, TVMError
from tvm.matrix import merge, report
from tvm.matrix.model import Project
from tvm.matrix.outcome import Status
from tvm.matrix.results import Results


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return make_project(tmp_path / "project")


def machine(
    root: Path, cell: str = "first", *, second: int = 2, status: Status = Status.PASSED, path: str = "artefacts/lib.so"
) -> Path:
    """Make the results of a machine that has run one cell, and return their folder."""
    results = Results(folder=root)
    item = replace(an_artefact(), path=path, sha256=hashlib.sha256(b"bytes").hexdigest())
    keep(results, an_outcome(cell, artefacts=[item], status=status), a_run(finished=f"2026-01-01T00:00:0{second}Z"))
    folder = results.good(cell) if status is Status.PASSED else results.failed(cell)
    (folder / "artefacts").mkdir(exist_ok=True)
    (folder / "artefacts" / "lib.so").write_bytes(b"bytes")
    return root


def merged(project: Project, *folders: Path) -> list[str]:
    """Merge, and return what was told."""
    told = list[str]()
    merge.merge(project, folders, told.append)
    return told


def statuses(project: Project) -> dict[str, str]:
    return {entry.cell: entry.status for entry in report.write(project, TREE.sha256)}


def refused(project: Project, *folders: Path) -> TVMError:
    """Merge what must be refused, see that nothing was taken over, and return the error."""
    with pytest.raises(TVMError) as caught:
        merged(project, *folders)
    assert bytes_of(project.build) == {}
    return caught.value


def test_the_results_of_several_machines_become_one_report(project: Project, tmp_path: Path) -> None:
    one, other = machine(tmp_path / "one"), machine(tmp_path / "other", "second", status=Status.FAILED)
    assert merged(project, one, other) == [
        f"first: passed, from {one / 'first'}",
        f"second: failed, from {other / 'second.failed'}",
    ]
    assert statuses(project) == {"first": "passed", "second": "failed"}
    assert (project.build / "first" / "artefacts" / "lib.so").read_bytes() == b"bytes"


def test_results_are_found_at_any_depth(project: Project, tmp_path: Path) -> None:
    machine(tmp_path / "all" / "job" / "matrix")
    merged(project, tmp_path / "all")
    assert statuses(project) == {"first": "passed"}


def test_the_folder_of_one_cell_is_enough(project: Project, tmp_path: Path) -> None:
    merged(project, machine(tmp_path / "one") / "first")
    assert statuses(project) == {"first": "passed"}


@pytest.mark.parametrize(("good", "failed", "status"), [(1, 2, "failed"), (2, 1, "passed")])
def test_the_newest_result_of_a_cell_stays(
    project: Project, tmp_path: Path, good: int, failed: int, status: str
) -> None:
    one = machine(tmp_path / "one", second=good)
    merged(project, machine(tmp_path / "other", second=failed, status=Status.FAILED), one)
    assert statuses(project) == {"first": status}


def test_a_newer_result_that_is_here_stays(project: Project, tmp_path: Path) -> None:
    machine(project.build, second=3, status=Status.FAILED)
    one = machine(tmp_path / "one")
    assert merged(project, one) == [f"first: kept what is here, which is as new as {one / 'first'}"]
    assert statuses(project) == {"first": "failed"}


def test_merging_twice_or_with_itself_changes_nothing(project: Project, tmp_path: Path) -> None:
    merged(project, machine(tmp_path / "one"))
    before = bytes_of(project.build)
    merged(project, tmp_path / "one", project.build)
    assert bytes_of(project.build) == before


def test_a_repro_proof_comes_along_without_its_builds(project: Project, tmp_path: Path) -> None:
    folder = Results(folder=machine(tmp_path / "one")).repro("first")
    (folder / "first").mkdir(parents=True)
    (folder / "first" / "lib.so").touch()
    proof = {"cell": "first", "tree_sha256": TREE.sha256, "identical": True, "artefacts": {}}
    (folder / "repro.json").write_text(json.dumps(proof), encoding="utf-8")
    merged(project, tmp_path / "one")
    (entry,) = report.write(project, TREE.sha256)
    assert report.repro_proof(Results(folder=project.build), entry) == proof
    assert list(bytes_of(project.build / "first.repro")) == ["repro.json"]


def test_what_is_in_the_making_is_no_result(project: Project, tmp_path: Path) -> None:
    machine(tmp_path / "one")
    (tmp_path / "one" / "first").rename(tmp_path / "one" / "first.new-1-2.a")
    assert "no result of a cell lies below" in refused(project, tmp_path / "one").cause


def test_an_artefact_of_the_name_of_a_manifest_is_no_result(project: Project, tmp_path: Path) -> None:
    (machine(tmp_path / "one") / "first" / "artefacts" / "manifest.json").write_text("{}", encoding="utf-8")
    merged(project, tmp_path / "one")
    assert statuses(project) == {"first": "passed"}


def test_a_folder_without_results_is_an_error(project: Project, tmp_path: Path) -> None:
    error = refused(project, tmp_path / "nowhere")
    assert (error.exit_code, str(tmp_path / "nowhere") in error.cause) == (ExitCode.CONFIG, True)


def test_a_cell_that_the_matrix_does_not_have_is_refused(project: Project, tmp_path: Path) -> None:
    error = refused(project, machine(tmp_path / "one"), machine(tmp_path / "other", "third"))
    assert (type(error), "the matrix has no cell 'third'" in error.cause) == (ConfigError, True)


def test_an_artefact_of_other_bytes_is_refused(project: Project, tmp_path: Path) -> None:
    one = machine(tmp_path / "one")
    (one / "first" / "artefacts" / "lib.so").write_bytes(b"other")
    assert "artefact lib.so is not what the manifest says" in refused(project, one).cause


@pytest.mark.parametrize(
    "path", ["../lib.so", "artefacts/../../../lib.so", "/etc/passwd", "artefacts", "artefacts/gone.so"]
)
def test_an_artefact_elsewhere_is_refused(project: Project, tmp_path: Path, path: str) -> None:
    assert (
        "artefact lib.so is not what the manifest says" in refused(project, machine(tmp_path / "one", path=path)).cause
    )


def test_a_link_is_refused(project: Project, tmp_path: Path) -> None:
    one = machine(tmp_path / "one")
    (one / "first" / "logs").symlink_to("/etc")
    error = refused(project, one)
    assert (type(error), error.cause) == (SourceError, f"{one / 'first' / 'logs'}: only files and folders are merged")


def test_a_check_that_is_named_like_a_path_is_refused(project: Project, tmp_path: Path) -> None:
    path = machine(tmp_path / "one") / "first" / "manifest.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"name": "cc"', '"name": "../../x"'), encoding="utf-8")
    assert "no name of a check: '../../x'" in refused(project, tmp_path / "one").cause


@pytest.mark.parametrize("text", ["{", "[]", "{}"])
def test_a_broken_repro_proof_is_refused(project: Project, tmp_path: Path, text: str) -> None:
    folder = Results(folder=machine(tmp_path / "one")).repro("first")
    folder.mkdir()
    (folder / "repro.json").write_text(text, encoding="utf-8")
    assert "not what a repro writes" in refused(project, tmp_path / "one").cause
