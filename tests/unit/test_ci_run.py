""".ci/run, read as text: the unit tests have no shell."""

import ast
import os
import re
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
# Commands only: no comments.
LINES = [line for line in TEXT.splitlines() if not line.lstrip().startswith("#")]


def nox_sessions() -> set[str]:
    """Return the names of the sessions that stand in noxfile.py, and of the cells."""
    tree = ast.parse((ROOT / "noxfile.py").read_text(encoding="utf-8"))
    functions = {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and any("nox.session" in ast.unparse(decorator) for decorator in node.decorator_list)
    }
    commands = {
        ast.literal_eval(node.value.args[0])
        for node in tree.body
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.value.func) == "_command"
    }
    return functions | commands | set(cells())


def cells() -> dict[str, dict[str, object]]:
    data: dict[str, dict[str, object]] = yaml.safe_load((ROOT / "matrix.yaml").read_text(encoding="utf-8"))["cells"]
    return data


def named(option: str) -> list[str]:
    """Return the words behind an option of nox, up to the end of the command or its own arguments."""
    pattern = re.compile(rf'"\$nox" {option} ([a-z0-9 -]+?)(?: -- .*)?(?=[\'"]|$)')
    return [word for line in LINES for found in pattern.finditer(line) for word in found[1].split()]


def test_it_can_be_run() -> None:
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    assert TEXT.startswith("#!/usr/bin/env bash\n")


def test_it_ends_at_the_first_failure_and_at_an_unset_variable() -> None:
    assert "set -euo pipefail" in LINES


def test_every_session_it_names_exists() -> None:
    assert {"lint", "types", "tests"} <= set(named("-s"))
    assert set(named("-s")) - nox_sessions() == set()


def test_the_tag_it_names_has_a_cell() -> None:
    assert set(named("-t")) <= {"ci"}
    assert not named("-t") or any(cell.get("ci") for cell in cells().values())


def test_it_stops_the_engine_whatever_ends_it() -> None:
    (trap,) = (line for line in LINES if line.startswith("trap "))
    assert trap == """trap '"$nox" -s engine -- stop' EXIT"""


def test_the_trap_is_set_before_the_first_session() -> None:
    positions = [at for at, line in enumerate(LINES) if line.startswith('step "$nox"')]
    assert LINES.index("""trap '"$nox" -s engine -- stop' EXIT""") < min(positions)


def test_it_names_no_host() -> None:
    assert "://" not in TEXT
    assert re.findall(r"\b[a-z0-9-]+\.(?:com|org|net|io|dev|cloud)\b", TEXT) == []


def test_it_takes_certificates_and_proxies_of_the_callers_environment_and_no_secrets() -> None:
    (loop,) = re.findall(r"for name in ([^;]*); do", TEXT)
    names = loop.replace("\\", " ").split()
    assert {"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"} <= set(names)
    assert {"SSL_CERT_FILE", "PIP_CERT", "HOME", "PATH"} <= set(names)
    assert [name for name in names if re.search("TOKEN|KEY|SECRET|PASSWORD", name)] == []
