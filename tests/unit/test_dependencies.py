"""What tvm imports of other distributions is there after a plain install, or is an extra's."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest

import tvm
from tests.unit.imports import Source, imported, sources

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(tvm.__file__).parents[1]
NAMES = {"tvm_ffi": "apache-tvm-ffi"}
# A module of an extra, which is imported only where it is used, and what type checkers alone read.
EXTRAS, TYPES = {"cuda", "distributed", "fsspec"}, {"_typeshed", "typing_extensions"}
# The matrix has an extra of its own; numpy is the user's, whose arrays it is.
MODULES = [module for module in sources(ROOT, "tvm") if not module.name.startswith("tvm.matrix")]


def distributions(requirements: list[str]) -> set[str]:
    return {re.split(r"[^\w.-]", requirement)[0] for requirement in requirements}


@pytest.fixture(scope="module")
def plain() -> set[str]:
    """Return the distributions that a plain install brings."""
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return distributions(project["dependencies"])


def foreign(module: Source) -> set[str]:
    tops = {name.split(".")[0] for name in imported(module)}
    return tops - sys.stdlib_module_names - EXTRAS - TYPES - {"tvm", "tests"}


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.name)
def test_what_is_imported_comes_with_a_plain_install(module: Source, plain: set[str]) -> None:
    assert {NAMES.get(name, name) for name in foreign(module)} <= plain


def test_what_the_pool_needs_comes_with_it(plain: set[str]) -> None:
    """In the seed a first task fails without cloudpickle, and a time limit without psutil leaves the worker alive."""
    assert {"cloudpickle", "psutil"} <= plain
