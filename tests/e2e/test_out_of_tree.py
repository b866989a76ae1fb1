"""A backend of another distribution: installed beside this one, used, uninstalled; whatever way this one is installed."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import uv

from tests.e2e.project import ROOT, lay_real

TEMPLATE = "examples/backend_template"
USE = """
import json, warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import tvm
from tvm.backend import is_loaded
from tvm.script import tirx as Tx
from tvm.target import Target, list_tags, list_target_kinds
from tvm.tirx.codegen import get_code_generator, list_code_generators
answer = {
    "place": tvm.__file__,
    "warnings": [str(warning.message) for warning in caught],
    "nine": all(map(is_loaded, tvm.backend._autoload.BUILT_IN)),
    "tags": len(list_tags()),
    "foo": is_loaded("foo"),
    "kind": "foo" in list_target_kinds(),
    "namespace": hasattr(Tx, "foo"),
    "generators": list_code_generators(),
}
if answer["foo"]:
    import tvm.tirx.foo
    answer["alias"] = tvm.tirx.foo is tvm.backend.foo
    target = Target({"kind": "foo", "tiles": 8})
    answer["text"] = get_code_generator(target.kind.name)(Tx.foo.barrier(), target.tiles)
print(json.dumps(answer))
"""


@dataclass(frozen=True, kw_only=True)
class Source:
    """A copy of this tree, in which a build may leave what it likes, and what was built from it."""

    tree: Path
    wheel: Path
    template_wheel: Path


@dataclass(frozen=True, kw_only=True)
class Venv:
    """A virtual environment of its own."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    def pip(self, command: str, *arguments: str | Path) -> None:
        run(uv.find_uv_bin(), "pip", command, "--quiet", "--python", self.python, *arguments)

    def use(self, **environment: str) -> dict[str, object]:
        """Import tvm there, from a folder that holds nothing, and return what it has."""
        answer: dict[str, object] = json.loads(run(self.python, "-c", USE, cwd=self.folder, environment=environment))
        return answer


def run(*argv: str | Path, cwd: Path = ROOT, environment: dict[str, str] | None = None) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "TVM_", "VIRTUAL_ENV"))}
    done = subprocess.run(
        argv,
        cwd=cwd,
        env={**kept, **(environment or {})},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Source:
    """Build the source distribution of this project, a wheel from that, and the template's wheel."""
    tree, made = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("dist")
    lay_real(tree)
    # Without --wheel the wheel is made from the source distribution.
    run(uv.find_uv_bin(), "build", "--quiet", "--out-dir", made, tree)
    run(uv.find_uv_bin(), "build", "--quiet", "--wheel", "--out-dir", made, tree / TEMPLATE)
    wheels = {path.name.split("-")[0]: path for path in made.glob("*.whl")}
    return Source(tree=tree, wheel=wheels["tvm_matrix"], template_wheel=wheels["tvm_foo"])


@pytest.fixture(params=["editable", "wheel"])
def venv(request: pytest.FixtureRequest, source: Source, tmp_path: Path) -> Venv:
    """Return an environment with this project, installed in the one way or the other."""
    made = Venv(folder=tmp_path / "venv")
    run(uv.find_uv_bin(), "venv", "--quiet", "--python", sys.executable, made.folder)
    made.pip("install", *(["--editable", source.tree] if request.param == "editable" else [source.wheel]))
    return made


ALONE = {"nine": True, "tags": 287, "foo": False, "kind": False, "namespace": False, "generators": [], "warnings": []}
BESIDE = {
    "nine": True,
    "tags": 287,
    "foo": True,
    "kind": True,
    "namespace": True,
    "generators": ["foo"],
    "alias": True,
    "text": "foo.barrier<8>();",
    "warnings": [],
}


def test_it_comes_and_goes(venv: Venv, source: Source) -> None:
    before = venv.use()
    place = before.pop("place")
    assert before == ALONE
    venv.pip("install", source.template_wheel)
    assert venv.use() == {**BESIDE, "place": place}
    assert venv.use(TVM_DEVICE_BACKEND_AUTOLOAD="0")["foo"] is False
    assert venv.use(TVM_DEVICE_BACKEND_AUTOLOAD="foo") | {"tags": 287} == {**BESIDE, "nine": False, "place": place}
    venv.pip("uninstall", "tvm-foo")
    assert venv.use() == {**ALONE, "place": place}


def test_one_that_is_broken_is_one_warning(venv: Venv, source: Source) -> None:
    venv.pip("install", source.template_wheel)
    (package,) = venv.folder.glob("lib/python*/site-packages/tvm/backend/foo/__init__.py")
    package.write_text(package.read_text(encoding="utf-8") + "\n\nimport a_module_that_nobody_has\n", encoding="utf-8")
    answer = venv.use()
    del answer["place"]
    said = "the backend 'foo' of the distribution tvm-foo 0.1.0 was not loaded: ModuleNotFoundError: No module named 'a_module_that_nobody_has'"
    assert answer == {**ALONE, "warnings": [said]}
