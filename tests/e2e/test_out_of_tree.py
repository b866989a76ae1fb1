"""A backend of another distribution: installed beside this one, used, uninstalled; whatever way this one is installed."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.project import ROOT

TEMPLATE = ROOT / "examples" / "backend_template"
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
class Venv:
    """A virtual environment of its own."""

    folder: Path

    def uv(self, *arguments: str | Path) -> None:
        run(["-m", "uv", *arguments], environment={"VIRTUAL_ENV": str(self.folder)})

    def use(self, **environment: str) -> dict[str, object]:
        """Import tvm there, from a folder that holds nothing, and return what it has."""
        python = self.folder / "bin" / "python"
        answer: dict[str, object] = json.loads(
            run(["-c", USE], program=python, cwd=self.folder, environment=environment)
        )
        return answer


def run(
    arguments: list[str | Path],
    *,
    program: str | Path = sys.executable,
    cwd: Path = ROOT,
    environment: dict[str, str] | None = None,
) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "TVM_"))}
    done = subprocess.run(
        [program, *arguments],
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
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Build the source distribution of this project, a wheel from that, and the template's wheel."""
    folder = tmp_path_factory.mktemp("dist")
    # Without --wheel or --sdist the wheel is made from the source distribution.
    run(["-m", "uv", "build", "--quiet", "--out-dir", folder, ROOT])
    run(["-m", "uv", "build", "--quiet", "--wheel", "--out-dir", folder, TEMPLATE])
    return {path.name.split("-")[0]: path for path in folder.glob("*.whl")}


def editable(venv: Venv, _wheels: dict[str, Path]) -> None:
    venv.uv("pip", "install", "--quiet", "--editable", ROOT)


def wheel(venv: Venv, wheels: dict[str, Path]) -> None:
    venv.uv("pip", "install", "--quiet", wheels["tvm_matrix"])


@pytest.fixture(params=[editable, wheel], ids=lambda way: way.__name__)
def venv(
    request: pytest.FixtureRequest, wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Venv]:
    """Return an environment with this project, installed in the one way or the other."""
    made = Venv(folder=tmp_path_factory.mktemp("venv"))
    run(["-m", "uv", "venv", "--quiet", "--python", sys.executable, "--clear", made.folder])
    install: Callable[[Venv, dict[str, Path]], None] = request.param
    install(made, wheels)
    yield made
    # What an editable install leaves in the checkout.
    for left in TEMPLATE.rglob("*.egg-info"):
        pytest.fail(f"{left} was left in the tree")


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


def test_it_comes_and_goes(venv: Venv, wheels: dict[str, Path]) -> None:
    before = venv.use()
    place = before.pop("place")
    assert before == ALONE
    venv.uv("pip", "install", "--quiet", wheels["tvm_foo"])
    assert venv.use() == {**BESIDE, "place": place}
    assert venv.use(TVM_DEVICE_BACKEND_AUTOLOAD="0")["foo"] is False
    assert venv.use(TVM_DEVICE_BACKEND_AUTOLOAD="foo") | {"tags": 287} == {**BESIDE, "nine": False, "place": place}
    venv.uv("pip", "uninstall", "--quiet", "tvm-foo")
    assert venv.use() == {**ALONE, "place": place}


def test_one_that_is_broken_is_one_warning(venv: Venv, wheels: dict[str, Path]) -> None:
    venv.uv("pip", "install", "--quiet", wheels["tvm_foo"])
    (package,) = venv.folder.glob("lib/python*/site-packages/tvm/backend/foo/__init__.py")
    package.write_text(package.read_text(encoding="utf-8") + "\n\nimport a_module_that_nobody_has\n", encoding="utf-8")
    answer = venv.use()
    del answer["place"]
    said = "the backend 'foo' of the distribution tvm-foo 0.1.0 was not loaded: ModuleNotFoundError: No module named 'a_module_that_nobody_has'"
    assert answer == {**ALONE, "warnings": [said]}
