"""What README.md, CONTRIBUTING.md and docs/ say can be done, can be done."""

import ast
import re
import runpy
import shlex
import textwrap
from importlib import import_module
from pathlib import Path

import pytest
from pydantic import BaseModel

from tests.unit.matrix.projects import make_project
from tests.unit.stand_in import MakeStandIn
from tvm.error import ExitCode
from tvm.matrix import cli, loader
from tvm.matrix.model import Cell, Image, Suite, Vendor, VendorIndex

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DIFFERENCES = (ROOT / "docs" / "differences.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
EXAMPLES = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
SETUP = "python3 -m venv .venv && .venv/bin/pip install 'nox[uv]' && .venv/bin/nox -s "
CELLS = loader.load(ROOT).matrix.cells


def _commands(pattern: str) -> list[str]:
    texts = (page.read_text(encoding="utf-8") for page in PAGES)
    return sorted({hit.strip() for text in texts for hit in re.findall(pattern, text)})


def _sessions() -> set[str]:
    """Return the sessions that noxfile.py names itself."""
    body = ast.parse((ROOT / "noxfile.py").read_text(encoding="utf-8")).body
    functions = (node for node in body if isinstance(node, ast.FunctionDef))
    named = {node.name for node in functions if any("nox.session" in ast.unparse(d) for d in node.decorator_list)}
    calls = (node.value for node in body if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call))
    return named | {ast.literal_eval(call.args[0]) for call in calls if ast.unparse(call.func) == "_command"}


def _subcommands() -> set[str]:
    (choices,) = (action.choices for action in cli.parser()._actions if action.dest == "command")
    return set(choices or ())


def _is_placeholder(word: str) -> bool:
    return word.rstrip(".").isupper()


def _behind_nox(session: str, arguments: list[str]) -> list[str]:
    """Return what noxfile.py gives `python -m tvm.matrix` for a session, or nothing where it runs another program."""
    if session in CELLS or _is_placeholder(session):
        return (
            ["build", "--cell", session, *arguments[1:]] if arguments[:1] == ["build"] else ["run", session, *arguments]
        )
    if session == "repro" and not arguments:
        return ["repro", *CELLS]
    return [session, *arguments] if session in _subcommands() else []


def _table(page: str, heading: str) -> list[list[str]]:
    """Return the cells of the first table below a heading, without its head."""
    text = f"\n{(ROOT / 'docs' / page).read_text(encoding='utf-8')}".split(f"\n{heading}\n")[1]
    rows = re.findall(r"^\|.*\|$", text.split("\n#")[0], re.MULTILINE)
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in rows[2:]]


@pytest.mark.parametrize("sessions", ["engine cuda-12 rocm ndk wasm", "tests"])
def test_readme_has_the_set_up_command_once(sessions: str) -> None:
    assert README.count(f"\n    {SETUP}{sessions}\n") == 1


def test_readme_has_no_other_set_up_command() -> None:
    assert README.count(SETUP) == 2


@pytest.mark.parametrize("command", _commands(r"nox -s ([^`\n|]+)"))
def test_nox_command_names_sessions_that_exist(command: str) -> None:
    named = shlex.split(command.partition(" -- ")[0], comments=True)
    assert {name for name in named if not _is_placeholder(name)} <= _sessions() | set(CELLS)
    assert named


@pytest.mark.parametrize("command", _commands(r"nox -s ([^`\n|]+ -- [^`\n|]+)"))
def test_what_a_nox_command_passes_on_is_understood(command: str) -> None:
    session, _, rest = command.partition(" -- ")
    arguments = _behind_nox(session, shlex.split(rest, comments=True))
    if arguments:
        cli.parser().parse_args(arguments)
    else:
        assert session == "tests"
        assert (ROOT / rest).is_file()


@pytest.mark.parametrize("command", _commands(r"python -m tvm\.matrix ([a-z][^`\n|]*)"))
def test_matrix_command_is_understood(command: str) -> None:
    assert cli.parser().parse_args(shlex.split(command, comments=True)).command in _subcommands()


@pytest.mark.parametrize("source", _commands(r"build (?:--cell \w+ )*([a-z][\w/]+\.c) "))
def test_source_that_is_built_exists(source: str) -> None:
    assert (ROOT / source).is_file()


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_links_lead_to_files(page: str) -> None:
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", (ROOT / page).read_text(encoding="utf-8"))
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_example_of_a_target_is_six_lines_that_load(tmp_path: Path) -> None:
    (block,) = re.findall(r"^    images:\n(?:    .*\n)+", README, re.MULTILINE)
    text = f"schema: 1\nsuites:\n  trixie: {{}}\n{textwrap.dedent(block)}"
    project = make_project(tmp_path, text, images=("base", "riscv"), checks=("riscv",))
    assert list(project.matrix.cells) == ["riscv"]
    assert len(block.splitlines()) - len(("images:", "cells:")) == 6


def test_example_of_the_library_builds_its_libraries(
    tmp_path: Path, stand_in: MakeStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    example, _ = EXAMPLES
    (tmp_path / "example.py").write_text(example, encoding="utf-8")
    for name in ("softmax.c", "model.o", "runtime.o"):
        (tmp_path / name).touch()
    android, cross = stand_in("clang"), stand_in("aarch64-linux-gnu-g++")
    monkeypatch.setenv("TVM_NDK_CC", android.path)
    monkeypatch.chdir(tmp_path)
    runpy.run_path("example.py")
    assert (tmp_path / "libsoftmax.so").is_file()
    assert (tmp_path / "libmodel.so").is_file()
    assert {"-shared", "-fPIC", "-lm", "-O3", "softmax.c"} <= set(android.calls[0])
    assert {"-shared", "-fPIC", "-O3", "model.o", "runtime.o"} <= set(cross.calls[0])


def test_example_of_targets_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    _, example = EXAMPLES
    exec(example, {})  # noqa: S102 - the README's own code
    assert capsys.readouterr().out == "sm_90a 287\nllvm\n"


def test_differences_are_about_functions_that_exist() -> None:
    names = re.findall(r"`(cc|clang|emcc|ndk|nvcc|rocm|tar|utils|xcode)\.(\w+)`", DIFFERENCES)
    assert len(names) > 30
    assert [name for module, name in names if not hasattr(import_module(f"tvm.support.{module}"), name)] == []


def test_differences_of_the_readme_stand_in_the_whole_list_too() -> None:
    said = README.partition("## Differences")[2].replace("(docs/", "(")
    rows = [line for line in said.splitlines() if line.startswith("| ")]
    assert len(rows) > 10
    assert [row for row in rows if row not in DIFFERENCES.splitlines()] == []


def test_command_line_page_has_every_subcommand() -> None:
    rows = _table("cli.md", "# Command line")
    assert {re.split(r"[ `]", row[0].strip("`"))[0] for row in rows} == _subcommands()


def test_command_line_page_has_every_exit_code() -> None:
    rows = _table("cli.md", "## Exit codes")
    assert [(row[0], row[1]) for row in rows] == [(str(int(code)), code.name) for code in ExitCode]


@pytest.mark.parametrize(
    ("heading", "model"),
    [
        ("## Suite", Suite),
        ("## Image", Image),
        ("### Vendor", Vendor),
        ("### Vendor's index", VendorIndex),
        ("## Cell", Cell),
    ],
)
def test_matrix_page_has_every_field(heading: str, model: type[BaseModel]) -> None:
    assert [row[0].strip("`") for row in _table("matrix.md", heading)] == list(model.model_fields)
