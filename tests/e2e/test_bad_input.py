"""matrix.yaml with mistakes, and sources with every kind of name: told before anything is written."""

import ctypes
import os
from pathlib import Path

import pytest

from tests.e2e.engine import Containers
from tests.e2e.project import Project
from tvm.error import ExitCode

WRONG = """\
schema: 1
suites:
  trixie: {rolling: "yes"}
images:
  small:
    suite: trixi
    colour: red
    tools: {python: 3.13, tarr: ">=1.35", tar: newest}
  gone:
    suite: trixie
cells:
  one: &first
    image: small
    archs: {x86_64: flown}
    checks: {pack: [python, nvcc], missing: [tar]}
    timeout: soon
  two: *first
  tests:
    image: smal
    checks: {}
  three:
    image: gone
    checks: {words: []}
    timeout: 22:30
    timeout: 5
"""
MISTAKES = """\
matrix.yaml has 17 mistakes:
matrix.yaml:3: suites.trixie.rolling: must be true or false
matrix.yaml:6: images.small.suite: suite 'trixi' is not among suites; did you mean 'trixie'?
matrix.yaml:7: images.small.colour: unknown key
matrix.yaml:8: images.small.tools.python: must be text: write it in quotes: "3.13"
matrix.yaml:8: images.small.tools.tar: 'newest' is no version specifier
matrix.yaml:8: images.small.tools.tarr: tool is not in tvm/matrix/tools.toml; did you mean 'tar'?
matrix.yaml:9: images.gone: its folder images/gone is missing
matrix.yaml:12: cells.one: anchor &first is refused
matrix.yaml:14: cells.one.archs.x86_64: 'flown' is no depth
matrix.yaml:15: cells.one.checks.missing: its file tests/matrix/check_missing.py is missing
matrix.yaml:15: cells.one.checks.pack.1: need 'nvcc' stands in no tools of image 'small'
matrix.yaml:16: cells.one.timeout: must be a whole number
matrix.yaml:17: cells.two: alias *first is refused
matrix.yaml:18: cells.tests: is the name of a nox session
matrix.yaml:19: cells.tests.image: image 'smal' is not among images; did you mean 'small'?
matrix.yaml:20: cells.tests.checks: must not be empty
matrix.yaml:25: cells.three.timeout: key is written twice; the first one is on line 24
"""
CYCLE = "schema: 1\nimages: &images\n  small: *images\ncells: {}\n"
FIVE = "int {name}(void) {{ return {value}; }}\n"


@pytest.mark.usefixtures("spared")
def test_every_mistake_of_the_matrix_is_told_at_once_with_its_line(project: Project) -> None:
    (project.root / "matrix.yaml").write_text(WRONG, encoding="utf-8")
    for done in (project.matrix("run", "one"), project.nox("-s", "one")):
        assert done.code == ExitCode.CONFIG
        lines = done.output.splitlines()
        for mistake in MISTAKES.splitlines():
            assert any(mistake in line for line in lines), f"{mistake}\nis not in\n{done.output}"


@pytest.mark.usefixtures("spared")
def test_a_matrix_that_holds_itself_is_refused(project: Project) -> None:
    (project.root / "matrix.yaml").write_text(CYCLE, encoding="utf-8")
    done = project.matrix("list")
    assert done.code == ExitCode.CONFIG
    assert "alias *images is refused" in done.output


@pytest.mark.usefixtures("spared")
def test_an_unknown_cell_is_refused_with_a_suggestion(project: Project) -> None:
    done = project.matrix("run", "tree")
    assert done.code == ExitCode.CONFIG
    assert "did you mean 'three'?" in done.output


def test_names_with_blanks_quotes_dashes_and_newlines_are_only_names(real: Project, containers: Containers) -> None:
    names = ["a blank.c", 'it\'s "quoted".c', "-dash.c", "new\nline.c"]
    for value, name in enumerate(names, 1):
        (real.root / name).write_text(FIVE.format(name=f"value{value}", value=value), encoding="utf-8")
    done = real.matrix("build", "--cell", "host", "-o", "out/values.so", "--", *names)
    assert done.code == 0, done.output
    library = ctypes.CDLL(str(real.root / "out" / "values.so"))
    assert [getattr(library, f"value{value}")() for value in (1, 2, 3, 4)] == [1, 2, 3, 4]
    assert _left_in(real.root / "out") == ["values.so"]
    assert containers.left() == []


def test_a_name_that_is_not_utf8_is_refused_before_an_engine_is_asked(real: Project, containers: Containers) -> None:
    name = Path(os.fsdecode(b"soft\xffmax.c"))
    (real.root / name).write_text(FIVE.format(name="five", value=5), encoding="utf-8")
    done = real.matrix("build", "--cell", "host", "-o", "out/five.so", name)
    assert done.code == ExitCode.SOURCE
    assert "the name is not UTF-8" in done.output
    assert "fix: rename the file" in done.output
    _nothing_was_made(real, containers)


def test_a_source_that_is_not_there_is_named(real: Project, containers: Containers) -> None:
    done = real.matrix("build", "--cell", "host", "-o", "out/five.so", "absent.c")
    assert done.code == ExitCode.SOURCE
    assert "'absent.c': no such source file" in done.output
    _nothing_was_made(real, containers)


def test_a_source_that_does_not_compile_is_told_with_its_line_and_spares_the_output(
    real: Project, containers: Containers
) -> None:
    (real.root / "wrong.c").write_text("int five(void) {\n  return fife;\n}\n", encoding="utf-8")
    (real.root / "out").mkdir()
    (real.root / "out" / "five.so").write_bytes(b"before")
    done = real.nox("-s", "host", "--", "build", "wrong.c", "-o", "out/five.so")
    assert done.code != 0
    assert "wrong.c:2:10: error: " in done.output
    assert "fife" in done.output
    assert real.matrix("build", "--cell", "host", "-o", "out/five.so", "wrong.c").code == ExitCode.FAILED
    assert (real.root / "out" / "five.so").read_bytes() == b"before"
    assert _left_in(real.root / "out") == ["five.so"]
    assert containers.left() == []


def test_an_include_that_was_not_sent_is_named_and_sent_by_its_folder(real: Project, containers: Containers) -> None:
    (real.root / "headers").mkdir()
    (real.root / "headers" / "five.h").write_text("#define FIVE 5\n", encoding="utf-8")
    (real.root / "five.c").write_text('#include "five.h"\nint five(void) { return FIVE; }\n', encoding="utf-8")
    arguments = ("build", "--cell", "host", "-o", "out/five.so", "five.c")
    done = real.matrix(*arguments)
    assert done.code == ExitCode.FAILED
    assert "five.h was not sent: pass -I DIR" in done.output
    assert _left_in(real.root / "out") == []
    assert real.matrix(*arguments, "-I", "headers").code == 0
    assert ctypes.CDLL(str(real.root / "out" / "five.so")).five() == 5
    assert containers.left() == []


def test_an_output_that_is_a_link_is_refused_and_its_target_spared(real: Project, containers: Containers) -> None:
    (real.root / "five.c").write_text(FIVE.format(name="five", value=5), encoding="utf-8")
    (real.root / "elsewhere").write_bytes(b"before")
    (real.root / "five.so").symlink_to("elsewhere")
    done = real.matrix("build", "--cell", "host", "-o", "five.so", "five.c")
    assert done.code == ExitCode.STORAGE
    assert "the output is a link" in done.output
    assert (real.root / "elsewhere").read_bytes() == b"before"
    assert (real.root / "five.so").is_symlink()
    _nothing_was_made(real, containers)


def _nothing_was_made(project: Project, containers: Containers) -> None:
    assert containers.wire.containers == set()
    assert _left_in(project.root / "out") == []


def _left_in(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))
