from pathlib import Path
from typing import Any

import pytest

from tests.unit.matrix.page.cells import a_cell
from tests.unit.matrix.page.reader import Node, read, rows
from tests.unit.matrix.world import make_project
from tvm.matrix.model import Project
from tvm.matrix.page import inventory


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return make_project(tmp_path)


def section(project: Project, packages: dict[str, dict[str, str]] | None = None, **image: Any) -> Node:
    cell = a_cell()
    cell.own["image"].update(image)
    cell.own["packages"] = packages or {}
    return read(inventory.section(project, cell))


def test_a_tool_stands_beside_what_the_matrix_asks_for(project: Project) -> None:
    found = section(project, tools={"gcc": {"path": "/usr/bin/gcc", "version": "gcc 14.2.0", "sha256": "ab" * 32}})
    assert rows(found.one("table"))[1] == ["gcc", "gcc 14.2.0", "==14.*", "/usr/bin/gcc", "abababababab"]


def test_an_image_that_the_matrix_no_longer_has_is_shown_all_the_same(project: Project) -> None:
    assert rows(section(project, name="gone").one("table"))[1][:3] == ["python", "3.13.5", ""]


def test_the_caption_counts_the_packages(project: Project) -> None:
    found = section(project, {"dpkg": {"libc6": "2.41", "gcc": "14"}, "pip": {"pytest": "9"}})
    assert found.one("caption").text == "Tools of first: 2 Debian packages and 1 Python package stand in the manifest"


def test_a_manifest_without_packages_says_nothing_of_them(project: Project) -> None:
    assert section(project).one("caption").text == "Tools of first"
