"""`import tvm` loads nine backends and what entry points load; what fails is one warning and leaves no trace."""

import pytest

from tests.unit.backend.packages import World
from tvm.backend._autoload import BUILT_IN, SWITCH

LIST = """
    import warnings
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        import tvm
    from tvm.backend import _loader
    print(",".join(_loader.loaded()))
    for warning in caught: print(warning.category.__name__, warning.message)
"""
TAKEN = "fix: pass override=True to replace it, or choose another name"
NINE = ",".join(BUILT_IN)
FOO = """
    from tvm.script.namespace import register_script_namespace

    def register_backend():
        register_script_namespace("foo", object())
"""


@pytest.fixture
def fresh(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Return a folder for a fresh interpreter, which finds metadata in it as in site-packages."""
    root = tmp_path_factory.mktemp("site-packages")
    return World(root=root)


def foo(world: World) -> None:
    world.package("foo", FOO)
    world.module("foo_plugin", "import tvm.backend\ndef load(): tvm.backend.load('foo')")
    world.distribution("tvm_foo", {"foo": "foo_plugin:load"})


class TestTheNine:
    def test_all_in_their_order(self, fresh: World) -> None:
        assert fresh.python(LIST) == f"{NINE}\n"

    @pytest.mark.parametrize("value", ["0", "false", "FALSE", "off", "no", " 0 "])
    def test_switched_off(self, value: str, fresh: World) -> None:
        foo(fresh)
        assert fresh.python(LIST, **{SWITCH: value}) == "\n"

    @pytest.mark.parametrize("value", ["", "1", "on", "yes", "True"])
    def test_switched_on(self, value: str, fresh: World) -> None:
        assert fresh.python(LIST, **{SWITCH: value}) == f"{NINE}\n"

    def test_some(self, fresh: World) -> None:
        foo(fresh)
        assert fresh.python(LIST, **{SWITCH: "trn, foo,cuda"}) == "cuda,trn,foo\n"

    def test_one_that_there_is_not(self, fresh: World) -> None:
        said = fresh.python(LIST, **{SWITCH: "cuda,kuda"})
        assert said == f"cuda\nUserWarning {SWITCH} names 'kuda', which no distribution provides\n"

    def test_runtime_only_has_entry_points_alone(self, fresh: World) -> None:
        foo(fresh)
        assert fresh.python(LIST, TVM_USE_RUNTIME_LIB="1") == "foo\n"

    def test_nothing_heavy_is_imported(self, fresh: World) -> None:
        said = fresh.python("import sys, tvm; print(*sys.modules)").split()
        assert {"tvm.backend.cuda", "tvm.tirx.cuda"} <= set(said)
        assert {"tvm_ffi", "numpy", "json", "dataclasses", "ctypes", "importlib.metadata"}.isdisjoint(said)
        assert {"tvm.ir.expr", "tvm.target.target", "tvm.backend.cuda.device", "tvm.support"}.isdisjoint(said)


class TestEntryPoints:
    def test_one_that_loads_a_backend(self, fresh: World) -> None:
        foo(fresh)
        said = fresh.python(
            "import tvm\nfrom tvm.script import tirx as Tx\nprint(type(Tx.foo).__name__, 'foo' in dir(Tx))"
        )
        assert said == "object True\n"

    @pytest.mark.parametrize(
        ("source", "entry", "error"),
        [
            ("def load(): raise SystemExit(3)", "plugin:load", "SystemExit: 3"),
            ("def load(): 1 / 0", "plugin:load", "ZeroDivisionError: division by zero"),
            ("raise SystemExit", "plugin:load", "SystemExit: "),
            ("", "plugin:load", "AttributeError: module 'plugin' has no attribute 'load'"),
            ("load = 3", "plugin:load", "TypeError: 'int' object is not callable"),
            ("", "absent:load", "ModuleNotFoundError: No module named 'absent'"),
            ("import absent", "plugin:load", "ModuleNotFoundError: No module named 'absent'"),
            (
                "from tvm.script.namespace import register_script_namespace as r\ndef load():\n    r('x', 1); r('x', 2)",
                "plugin:load",
                f"RegistryError: 'x' is registered already as a script namespace\n{TAKEN}",
            ),
        ],
    )
    def test_one_that_fails_is_one_warning_and_the_others_run(
        self, source: str, entry: str, error: str, fresh: World
    ) -> None:
        foo(fresh)
        fresh.module("plugin", source)
        fresh.distribution("a_broken", {"bad": entry})
        said = fresh.python(
            LIST + "    print(__import__('tvm.script.namespace').script.namespace.has_script_namespace('x'))\n"
        )
        lines = [
            f"{NINE},foo",
            f"UserWarning the backend 'bad' of the distribution a_broken 1.0 was not loaded: {error}",
        ]
        assert said == "\n".join([*lines, "False", ""])

    def test_one_that_fails_after_it_has_loaded_a_backend(self, fresh: World) -> None:
        fresh.package("foo", FOO)
        fresh.module("plugin", "import tvm.backend\ndef load(): tvm.backend.load('foo'); 1 / 0")
        fresh.distribution("late", {"foo": "plugin:load"})
        said = fresh.python(LIST + "    tvm.backend.load('foo'); print(tvm.backend.is_loaded('foo'))\n")
        failed = "UserWarning the backend 'foo' of the distribution late 1.0 was not loaded: ZeroDivisionError: division by zero"
        assert said.splitlines() == [NINE, failed, "True"]

    def test_ctrl_c_in_a_hook_ends_the_import(self, fresh: World) -> None:
        fresh.module("plugin", "def load(): raise KeyboardInterrupt")
        fresh.distribution("impatient", {"bad": "plugin:load"})
        assert "KeyboardInterrupt" in fresh.python("import tvm\nprint('went on')").splitlines()[-1]

    def test_warnings_that_are_errors_come_after_all_is_loaded(self, fresh: World) -> None:
        foo(fresh)
        fresh.distribution("a_broken", {"bad": "absent:load"})
        said = fresh.python("import tvm", PYTHONWARNINGS="error")
        assert said.splitlines()[-1].startswith("UserWarning: the backend 'bad' of the distribution a_broken 1.0")

    def test_broken_metadata_is_one_warning(self, fresh: World) -> None:
        foo(fresh)
        folder = fresh.distribution("torn", {})
        (folder / "entry_points.txt").write_text("[tvm.backends\nno = entry", encoding="utf-8")
        (folder / "METADATA").unlink()
        lines = fresh.python(LIST).splitlines()
        assert lines[0] == f"{NINE},foo"
        assert (
            "the distribution torn-1.0.dist-info cannot be read: BackendHookError: the line '[tvm.backends' is no section"
            in lines[1]
        )
        assert len(lines) == 2

    def test_bytes_that_are_no_text_are_one_warning(self, fresh: World) -> None:
        foo(fresh)
        (fresh.distribution("torn", {}) / "entry_points.txt").write_bytes(b"[tvm.backends]\nx = \xff:y\n")
        lines = fresh.python(LIST).splitlines()
        assert lines[0] == f"{NINE},foo"
        assert "the distribution torn-1.0.dist-info cannot be read: UnicodeDecodeError" in lines[1]
        assert len(lines) == 2

    def test_a_distribution_without_a_name_is_called_by_its_folder(self, fresh: World) -> None:
        fresh.distribution("nameless", {"bad": "absent:load"}, metadata="")
        assert "of the distribution nameless-1.0.dist-info was not loaded" in fresh.python(LIST)

    def test_the_current_folder_is_not_searched(self, fresh: World) -> None:
        foo(fresh)
        code = f"import os, sys; os.chdir({str(fresh.root)!r}); sys.path.remove({str(fresh.root)!r}); sys.path.insert(0, '')"
        assert fresh.python(f"{code}\nimport tvm\nprint('foo' in tvm.backend._loader.loaded())") == "False\n"

    def test_one_distribution_in_two_folders_runs_once(
        self, fresh: World, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        other = World(root=tmp_path_factory.mktemp("other"))
        for world in (fresh, other):
            world.distribution("twice", {"count": "counter:count"})
        fresh.module("counter", "print('imported')\ndef count(): print('called')")
        said = fresh.python(f"import sys; sys.path.append({str(other.root)!r}); import tvm")
        assert said == "imported\ncalled\n"
