"""A plan is what will run, as values."""

from pathlib import Path

import pytest

from tests.unit.matrix.projects import TEXT, make_project
from tvm.error import ConfigError
from tvm.matrix.model import Depth, Project
from tvm.matrix.plan import Probe, box_command, box_environment, check_command, check_environment, plan

_SECOND = "  other:\n    image: host\n    checks: {tar: []}\n    tags: [small]\n    ci: true\n    repro: true\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return make_project(tmp_path, TEXT + _SECOND)


def names(project: Project, *cells: str, tags: tuple[str, ...] = ()) -> list[str]:
    return [cell.name for cell in plan(project, cells, tags=tags).cells]


def test_cells_come_in_the_order_they_are_named(project: Project) -> None:
    assert names(project, "other", "host") == ["other", "host"]


def test_a_cell_named_twice_runs_once(project: Project) -> None:
    assert names(project, "other", "other", "all") == ["other", "host"]


def test_all_is_every_cell_in_the_order_of_the_file(project: Project) -> None:
    assert names(project, "all") == ["host", "other"]


def test_a_tag_alone_picks_from_all_cells(project: Project) -> None:
    assert names(project, tags=("small",)) == ["other"]


def test_a_tag_keeps_only_what_is_named_too(project: Project) -> None:
    assert names(project, "all", tags=("native", "small")) == ["host", "other"]


def test_names_and_tags_that_have_nothing_in_common_are_an_error(project: Project) -> None:
    with pytest.raises(ConfigError, match="none of the named cells has one of the tags small"):
        names(project, "host", tags=("small",))


def test_a_matrix_without_cells_says_so(tmp_path: Path) -> None:
    empty = make_project(tmp_path / "empty", "schema: 1\nimages: {}\ncells: {}\n")
    with pytest.raises(ConfigError, match=r"matrix\.yaml has no cells"):
        names(empty, "all")


def test_an_unknown_cell_is_answered_with_the_nearest(project: Project) -> None:
    with pytest.raises(ConfigError, match=r"no cell 'hots' in matrix\.yaml; did you mean 'host'\?"):
        names(project, "hots")


def test_an_unknown_tag_is_answered_with_the_known_ones(project: Project) -> None:
    with pytest.raises(ConfigError, match=r"no tag 'gpu' in matrix\.yaml; known are native, small"):
        names(project, tags=("gpu",))


def test_naming_nothing_is_an_error_that_lists_the_cells(project: Project) -> None:
    with pytest.raises(ConfigError) as caught:
        names(project)
    assert caught.value.fix == "name one or more of host, other, or all"


def test_a_cell_carries_what_matrix_yaml_says(project: Project) -> None:
    cell = plan(project, ["host"]).cells[0]
    assert (cell.image, cell.tags, cell.ci, cell.repro, cell.timeout) == ("host", ("native",), False, False, 60)
    assert cell.archs == {"x86_64": Depth.executed, "riscv64": Depth.compiled}


def test_a_box_lives_longer_than_its_checks_may_take(project: Project) -> None:
    cell = plan(project, ["host"]).cells[0]
    assert cell.limit > cell.timeout * len(cell.checks)


def test_a_check_probes_its_needs_with_the_image_s_specifiers(project: Project) -> None:
    check = plan(project, ["host"]).cells[0].checks[0]
    assert (check.name, check.file) == ("cc", "tests/matrix/check_cc.py")
    assert check.probes == (
        Probe(tool="gcc", argv=("gcc", "--version"), specifier="==14.*"),
        Probe(tool="tar", argv=("tar", "--version"), specifier=">=1.35"),
    )


def test_a_check_s_command_has_relative_paths_only() -> None:
    assert " ".join(check_command("cc")) == (
        "python -m pytest -c tests/matrix/pytest.ini --rootdir . tests/matrix/check_cc.py --junitxml out/check_cc.xml"
    )


def test_a_box_ends_by_itself() -> None:
    assert box_command(90) == ("timeout", "-k", "5", "90", "sleep", "infinity")


def test_the_environment_of_a_box_names_the_cell_and_the_tree(project: Project) -> None:
    environment = box_environment(plan(project, ["host"]).cells[0], "/other")
    assert environment == {
        "HOME": "/home/tvm",
        "LANG": "C.UTF-8",
        "PYTHONPATH": "/other",
        "TMPDIR": "/tmp",
        "TVM_MATRIX_ARCHS": "x86_64,riscv64",
        "TVM_COMPILE_CACHE": "off",
        "TVM_MATRIX_CELL": "host",
        "TVM_MATRIX_OUT": "out",
        "TZ": "UTC",
    }


def test_each_check_records_its_tool_calls_apart() -> None:
    assert check_environment("cc", "/src") == {"TVM_MATRIX_RECORD": "/src/out/calls-cc.jsonl"}
