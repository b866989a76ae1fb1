import subprocess
import sys
from pathlib import Path

import pytest

import tvm

ROOT = str(Path(tvm.__file__).parents[1])


def python(code: str, *path: str | Path) -> str:
    """Run a fresh interpreter that finds this tree first, then the folders of `path`."""
    environment = {"PYTHONPATH": ":".join(map(str, [ROOT, *path]))}
    done = subprocess.run([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, timeout=60, check=True)
    return done.stdout.decode()


def test_importing_tvm_is_cheap() -> None:
    loaded = set(python("import sys, tvm; print(*sorted(sys.modules))").split())
    heavy = {
        "docker",
        "pydantic",
        "rich",
        "yaml",
        "tvm_ffi",
        "numpy",
        "filelock",
        "subprocess",
        "asyncio",
        "dataclasses",
    }
    assert {"tvm", "tvm.backend.cuda"} <= loaded
    assert heavy.isdisjoint(loaded)
    assert {"tvm.support", "tvm.matrix", "tvm.ir.expr", "tvm.target.target", "tvm.script.tirx"}.isdisjoint(loaded)


@pytest.mark.parametrize("name", [name for name in tvm.__all__ if not name.startswith("__")])
def test_subpackages_load_at_their_first_use(name: str) -> None:
    assert python(f"import tvm; print(tvm.{name}.__name__)") == f"tvm.{name}\n"


def test_an_unknown_attribute_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'tvm' has no attribute 'nonsense'"):
        tvm.nonsense  # noqa: B018 - the access is what fails


def test_a_module_that_is_no_public_name_is_no_attribute() -> None:
    assert python("import tvm\ntry: tvm.matrix\nexcept AttributeError: print('none')") == "none\n"


def test_the_version_is_the_distributions() -> None:
    text = Path(ROOT, "pyproject.toml").read_text(encoding="utf-8")
    assert f'\nversion = "{tvm.__version__}"\n' in text


def test_another_distribution_may_ship_a_subpackage(tmp_path: Path) -> None:
    module = tmp_path / "tvm" / "foreign" / "__init__.py"
    module.parent.mkdir(parents=True)
    module.write_text("import tvm.error\nPLACE = 'foreign'\n")
    (tmp_path / "tvm" / "__init__.py").write_text("raise SystemExit('the foreign tvm won')\n")
    assert python("import tvm.foreign, tvm.support.utils; print(tvm.foreign.PLACE)", tmp_path) == "foreign\n"


def test_our_modules_win_over_a_foreign_one(tmp_path: Path) -> None:
    module = tmp_path / "tvm" / "error.py"
    module.parent.mkdir()
    (module.parent / "__init__.py").touch()
    module.write_text("raise SystemExit('the foreign error won')\n")
    assert python("import tvm.error; print(tvm.error.TVMError.__name__)", tmp_path) == "TVMError\n"
