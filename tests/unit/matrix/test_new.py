import difflib
import stat
import threading
from pathlib import Path

import pytest

from tests.unit.matrix.projects import TEXT, make_project
from tvm.error import ConfigError
from tvm.matrix import new, plan
from tvm.matrix.loader import FIXED_SESSIONS, load
from tvm.matrix.model import Project

COMMENTED = f"# Mine.\n{TEXT.replace('cells:', '# The cells.' + chr(10) + 'cells:')}"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = make_project(tmp_path, COMMENTED)
    (made.image_folder("base") / "requirements.txt").write_text("wheel==1\n")
    return made


def _files(root: Path) -> dict[str, str]:
    return {path.relative_to(root).as_posix(): path.read_text() for path in root.rglob("*") if path.is_file()}


def test_the_written_project_loads_and_plans_the_cell(project: Project) -> None:
    made = new.create(project, "my-chip")
    assert made == [
        "images/my-chip/Dockerfile",
        "images/my-chip/packages.txt",
        "images/my-chip/requirements.in",
        "images/my-chip/requirements.txt",
        "tests/matrix/check_my_chip.py",
        "matrix.yaml",
    ]
    (cell,) = plan.plan(load(project.root), ["my-chip"]).cells
    assert [check.name for check in cell.checks] == ["my_chip"]
    assert (cell.image, cell.ci, cell.repro, dict(cell.archs)) == ("my-chip", True, True, {"x86_64": 4})


def test_the_matrix_keeps_its_words_and_comments(project: Project) -> None:
    new.create(project, "my-chip")
    lines = (project.root / "matrix.yaml").read_text().splitlines()
    assert not [line for line in difflib.ndiff(COMMENTED.splitlines(), lines) if line.startswith("-")]
    assert lines.index("  my-chip:") < lines.index("# The cells.")


def test_the_recipe_names_the_image_and_begins_with_the_locked_wheels_of_the_base(project: Project) -> None:
    new.create(project, "my-chip")
    folder = project.image_folder("my-chip")
    text = (folder / "Dockerfile").read_text()
    assert "ARG BASE\nFROM ${BASE}\n" in text
    assert "ARG IMAGE=my-chip\n" in text
    assert "@" not in text
    assert (folder / "requirements.txt").read_text() == "wheel==1\n"
    assert stat.S_IMODE(folder.stat().st_mode) & 0o700 == 0o700


def test_the_check_is_a_program_that_publishes_what_it_ran(project: Project) -> None:
    new.create(project, "my-chip")
    text = (project.root / "tests/matrix/check_my_chip.py").read_text()
    compile(text, "check_my_chip.py", "exec")
    assert text.startswith('"""my-chip: ')
    assert "assert list(y) == [10.5, 21.0, 31.5]" in text
    assert "artefact(" in text


def test_nothing_else_is_written(project: Project) -> None:
    before = _files(project.root)
    made = new.create(project, "chip")
    assert _files(project.root).keys() == before.keys() | set(made)


@pytest.mark.parametrize(
    "name", ["", "My", "1st", "../up", "a/b", "a_b", "a b", "a\nb", "x" * 41, *sorted(FIXED_SESSIONS), "base", "all"]
)
def test_a_name_that_no_cell_can_have_is_refused_before_anything_is_written(project: Project, name: str) -> None:
    before = _files(project.root)
    with pytest.raises(ConfigError, match=r"is no name of a cell|is the name of a nox session"):
        new.create(project, name)
    assert _files(project.root) == before


@pytest.mark.parametrize("place", ["images/chip/x", "tests/matrix/check_chip.py"])
def test_what_is_there_already_is_refused_and_stays(project: Project, place: str) -> None:
    (project.root / place).parent.mkdir(parents=True, exist_ok=True)
    (project.root / place).write_text("mine\n")
    before = _files(project.root)
    with pytest.raises(ConfigError, match="'chip' is there already: "):
        new.create(project, "chip")
    assert _files(project.root) == before


def test_a_dangling_link_is_there(project: Project) -> None:
    (project.root / "images" / "chip").symlink_to("nowhere")
    with pytest.raises(ConfigError, match="'chip' is there already: images/chip"):
        new.create(project, "chip")


def test_a_name_of_the_matrix_is_refused_though_it_came_after_loading(project: Project) -> None:
    new.create(project, "chip")
    before = _files(project.root)
    with pytest.raises(ConfigError, match=r"images\.chip in matrix\.yaml, cells\.chip in matrix\.yaml"):
        new.create(project, "chip")
    assert _files(project.root) == before


def test_a_matrix_that_cannot_take_an_entry_leaves_nothing_behind(tmp_path: Path) -> None:
    project = make_project(
        tmp_path,
        TEXT.replace("cells:\n  host:\n", "cells: {host: {\n").replace(
            "    image: host\n    archs: {x86_64: executed, riscv64: compiled}\n    checks: {cc: [gcc, tar], tar: [tar]}\n"
            "    tags: [native]\n    timeout: 60\n",
            "    image: host, checks: {cc: [gcc]}}}\n",
        ),
    )
    (project.image_folder("base") / "requirements.txt").write_text("wheel==1\n")
    before = _files(tmp_path)
    with pytest.raises(ConfigError, match="cells is not written as a block"):
        new.create(project, "chip")
    assert _files(tmp_path) == before


def test_what_fails_halfway_is_taken_back(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    before = _files(project.root)

    def fail(_matrix: Path, _text: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(new, "_require_loadable", fail)
    with pytest.raises(KeyboardInterrupt):
        new.create(project, "chip")
    assert _files(project.root) == before
    assert not project.image_folder("chip").exists()


def test_a_suite_can_be_named(tmp_path: Path) -> None:
    project = make_project(tmp_path, TEXT.replace("  trixie: {}", "  sid: {rolling: true}\n  trixie: {}\n  old: {}"))
    (project.image_folder("base") / "requirements.txt").write_text("wheel==1\n")
    new.create(project, "chip")
    new.create(project, "other", suite="old")
    images = load(tmp_path).matrix.images
    assert (images["chip"].suite, images["other"].suite) == ("trixie", "old")
    with pytest.raises(ConfigError, match=r"no suite 'olt' in matrix\.yaml; did you mean 'old'"):
        new.create(project, "third", suite="olt")


def test_a_base_without_a_lock_is_an_error_that_names_the_command(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        new.create(make_project(tmp_path), "chip")
    assert caught.value.fix == "nox -s lock -- base"


def test_many_at_once_are_all_there(project: Project) -> None:
    names = [f"chip-{number}" for number in range(6)]
    threads = [threading.Thread(target=new.create, args=(project, name)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(names) <= load(project.root).matrix.cells.keys()


def test_of_two_that_want_one_name_one_gets_it(project: Project) -> None:
    refused: list[ConfigError] = []

    def create() -> None:
        try:
            new.create(project, "chip")
        except ConfigError as error:
            refused.append(error)

    threads = [threading.Thread(target=create) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 1
    assert "chip" in load(project.root).matrix.cells
    assert (project.image_folder("chip") / "Dockerfile").is_file()
