"""The layers of the architecture: a module imports only what stands to its left."""

import ast
import re
from pathlib import Path
from textwrap import dedent

import pytest

import tvm
from tests.unit.imports import Source, called, calls, imported, source, sources

ROOT = Path(tvm.__file__).parents[1]
ORDER = [
    "error",
    "base",
    "runtime",
    "target",
    "support",
    "ir",
    "tirx",
    "script",
    "backend",
    "backends",
    "driver",
    "matrix",
]
STARTERS = re.compile(
    r"os\.(system|popen|fork|forkpty|startfile|exec[lv]p?e?|spawn[lv]p?e?|posix_spawnp?)|pty\.(spawn|fork)|.*\bcreate_subprocess_\w+"
)
PROGRAM_MODULES = {"subprocess", "_posixsubprocess", "pty", "pexpect"}


def layer(name: str) -> str:
    """Return the layer that a module of tvm belongs to; "tvm" for the package itself."""
    match name.split("."):
        case ["tvm", "backend", _, *_]:
            return "backends" if is_backend(name) else "backend"
        case ["tvm", first, *_] if not first.startswith("_"):
            return first
        case ["tvm", first, *_] if not first.startswith("__"):
            # Private helpers of tvm/__init__.py.
            return "base"
        case _:
            return "tvm"


def is_backend(name: str) -> bool:
    # tvm.backend's own modules and functions beside the packages that are linked into it.
    return (ROOT / "backends" / name.split(".")[2]).is_dir()


def wrong_imports(module: Source) -> list[str]:
    """Return what a module imports although the order forbids it."""
    return [name for name in imported(module) if name.split(".")[0] == "tvm" and not allowed(module.name, name)]


def allowed(importer: str, name: str) -> bool:
    above, below = layer(importer), layer(name)
    if importer.startswith("tvm.matrix.builders"):
        # They run inside a box with the standard library and tvm.support alone.
        return below in {"error", "support"} or name.startswith("tvm.matrix.builders")
    if above == "exec" or below == "exec":
        return above == below
    if below == "tvm":
        # tvm itself holds a version and lazy names: there is nothing above it to reach through it.
        return name in {"tvm", "tvm.__version__"}
    if above == "tvm":
        return below in ORDER[: ORDER.index("backends")]
    if above == below == "backends":
        return importer.split(".")[2] == name.split(".")[2]
    return above in ORDER and below in ORDER and ORDER.index(below) <= ORDER.index(above)


def written(name: str, text: str) -> Source:
    return Source(path=Path(f"{name}.py"), name=name, tree=ast.parse(dedent(text)))


MODULES = sources(ROOT, "tvm", *(["backends"] if (ROOT / "backends").is_dir() else []))


def test_the_modules_are_found() -> None:
    assert {"tvm", "tvm.error", "tvm.support.process", "tvm.matrix.model"} <= {module.name for module in MODULES}


def test_every_top_module_has_a_layer() -> None:
    assert {layer(module.name) for module in MODULES} <= {*ORDER, "tvm", "exec"}


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.name)
class TestEveryModule:
    def test_imports_only_what_stands_to_its_left(self, module: Source) -> None:
        assert wrong_imports(module) == []

    def test_starts_no_program(self, module: Source) -> None:
        if module.name == "tvm.support.process":
            assert "subprocess.Popen" in map(called, calls(module))
        elif module.name == "tvm.support._pool.supervisor":
            # A program of its own, which starts the workers of a pool.
            assert program_starters(module) == ["os.fork", "os.execve"]
        else:
            assert program_starters(module) == []

    def test_uses_no_shell_and_no_unchecked_unpacking(self, module: Source) -> None:
        assert unsafe_calls(module) == []


def program_starters(module: Source) -> list[str]:
    """Return every import and call that could start a program."""
    modules = [name for name in imported(module) if name.split(".")[0] in PROGRAM_MODULES]
    functions = [name for name in imported(module) if STARTERS.fullmatch(name)]
    return modules + functions + [name for name in map(called, calls(module)) if STARTERS.fullmatch(name)]


def unsafe_calls(module: Source) -> list[str]:
    """Return every call with shell=, and every call that unpacks an archive without looking at its members."""
    shells = [called(call) for call in calls(module) if any(word.arg == "shell" for word in call.keywords)]
    names = {"extractall", "unpack_archive", "extract"}
    return shells + [name for name in map(called, calls(module)) if name.rpartition(".")[2] in names]


@pytest.mark.parametrize("folder", ["tests", "bench", "images"])
def test_nothing_beside_the_library_unpacks_unchecked_either(folder: str) -> None:
    found = {str(module.path): unsafe_calls(module) for module in sources(ROOT, folder)}
    assert {path: names for path, names in found.items() if names} == {}


def test_the_matrix_package_itself_imports_nothing() -> None:
    (package,) = (module for module in MODULES if module.name == "tvm.matrix")
    assert list(imported(package)) == []


class TestTheRuleItself:
    """A rule that cannot be broken checks nothing: each of these breaks it."""

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("tvm.error", "import tvm.support"),
            ("tvm.support.cc", "from tvm import matrix"),
            ("tvm.support.cc", "from tvm.ir import node"),
            ("tvm.support.cc", "def f():\n    from tvm.matrix.model import Cell"),
            ("tvm.support.cc", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import tvm.driver"),
            ("tvm.support.cc", "from ..matrix import model"),
            ("tvm.support.cc", "from .. import matrix"),
            ("tvm.support.cc", "import importlib\nimportlib.import_module('tvm.matrix')"),
            ("tvm.support.cc", "from tvm import *"),
            ("tvm.runtime.device", "import tvm.target"),
            ("tvm.exec.worker", "import tvm.error"),
            ("tvm.matrix.cli", "import tvm.exec.worker"),
            ("tvm.matrix.builders.ndk", "from tvm.matrix import model"),
            ("tvm.matrix.builders.ndk", "import tvm.tirx"),
            ("tvm.unknown", "import tvm.error"),
            ("tvm", "from tvm import driver"),
        ],
    )
    def test_forbidden(self, name: str, text: str) -> None:
        assert wrong_imports(written(name, text)) != []

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("tvm.support.cc", "import os, json.decoder\nfrom tvm.error import TVMError\nfrom tvm import error"),
            ("tvm.support.cc", "from . import utils\nfrom .utils import which\nfrom tvm.runtime import device"),
            (
                "tvm.matrix.cli",
                "from tvm.support import process\nfrom tvm.driver import build\nfrom tvm import __version__",
            ),
            ("tvm.matrix.builders.ndk", "from tvm.support import ndk\nfrom tvm.matrix.builders import common"),
            ("tvm.exec.worker", "import pickle\nfrom tvm.exec import frames"),
            ("tvm", "from tvm import backend"),
        ],
    )
    def test_allowed(self, name: str, text: str) -> None:
        assert wrong_imports(written(name, text)) == []

    def test_one_backend_may_not_import_another(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("cuda", "trn"):
            (tmp_path / "backends" / name).mkdir(parents=True)
        monkeypatch.setattr("tests.unit.test_layers.ROOT", tmp_path)
        monkeypatch.setitem(globals(), "ROOT", tmp_path)
        (tmp_path / "backends" / "cuda" / "op.py").write_text(
            "import tvm.backend.trn\nfrom tvm.backend.cuda import ptx\nimport tvm.tirx"
        )
        module = source(tmp_path / "backends" / "cuda" / "op.py", tmp_path)
        assert module.name == "tvm.backend.cuda.op"
        assert wrong_imports(module) == ["tvm.backend.trn"]
        assert wrong_imports(written("tvm.tirx.stmt", "import tvm.backend.cuda")) == ["tvm.backend.cuda"]

    @pytest.mark.parametrize(
        "text",
        [
            "import subprocess",
            "from subprocess import run",
            "def f():\n    import subprocess as hidden",
            "import os\nos.system('x')",
            "import os\nos.execvp('x', [])",
            "import os\nos.posix_spawn('x', [], {})",
            "import os\nos.spawnl(0, 'x')",
            "import os\nos.popen('x')",
            "import os\nos.fork()",
            "from os import system",
            "import asyncio\nasyncio.create_subprocess_exec('x')",
            "import pty",
        ],
    )
    def test_programs(self, text: str) -> None:
        assert program_starters(written("tvm.support.cc", text)) != []

    def test_registering_a_fork_handler_starts_nothing(self) -> None:
        assert program_starters(written("tvm.support.cc", "import os\nos.register_at_fork(after_in_child=print)")) == []

    @pytest.mark.parametrize(
        "text", ["run('x', shell=True)", "tar.extractall()", "tar.extract('x')", "shutil.unpack_archive('x')"]
    )
    def test_unsafe(self, text: str) -> None:
        assert unsafe_calls(written("tvm.support.cc", text)) != []
