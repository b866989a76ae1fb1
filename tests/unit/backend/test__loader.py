"""A backend is loaded whole or not at all, whatever its hook does."""

import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.backend.packages import World
from tests.unit.registries import changed, state, undone
from tvm import _registry, backend, tirx
from tvm._registry import Registry
from tvm.backend import is_loaded, load
from tvm.base import file_name
from tvm.error import BackendHookError, BackendNameError, BackendNotFoundError, RegistryError
from tvm.ir import Op, has_op, register_op, register_op_table, unregister_op
from tvm.runtime import register_device_api, register_global_func
from tvm.script.namespace import register_script_namespace, unregister_script_namespace
from tvm.target import (
    Target,
    TargetKind,
    register_device_target_detector,
    register_tag,
    register_tag_table,
    register_target_kind,
)
from tvm.tirx.codegen import register_code_generator
from tvm.tirx.compilation_pipeline import Pipeline, register_tir_pipeline
from tvm.tirx.operator.tile_primitive.dispatcher import register_dispatch

QUIET = "def register_backend() -> None: pass"


def steps() -> list[tuple[str, Callable[[], object]]]:
    """Return everything that a hook can do, one after the other."""
    return [
        ("a script namespace", lambda: register_script_namespace("shape", object())),
        ("a lazy script namespace", lambda: register_script_namespace("shape_lazy", load=object)),
        ("a removed script namespace", lambda: unregister_script_namespace("cuda")),
        ("a device API", lambda: register_device_api("shape", load=lambda: pytest.fail("asked"))),
        ("a detector", lambda: register_device_target_detector("shape", lambda _device: Target("c"))),
        ("a target kind", lambda: register_target_kind(TargetKind(name="shape", device_type=12))),
        ("another target kind", lambda: register_target_kind(TargetKind(name="c", device_type=1), override=True)),
        ("a tag", lambda: register_tag("shape/one", {"kind": "shape"})),
        ("a table of tags", lambda: register_tag_table("shapes/", dict)),
        ("an operation", lambda: register_op(Op("tirx.shape.one"))),
        ("a table of operations", lambda: register_op_table("tirx.shapes.", dict)),
        ("a pipeline", lambda: register_tir_pipeline("shape", lambda: Pipeline(passes=()))),
        ("a code generator", lambda: register_code_generator("shape", str)),
        ("an implementation", lambda: register_dispatch("copy", "shape", variant="one")(lambda *_: None)),
        ("a global function", lambda: register_global_func("tests.shape", str)),
        ("a module", lambda: __import__("tvm.backend.shape.part")),
        ("a module by its other name", lambda: __import__("tvm.tirx.shape.other")),
        ("a module outside", lambda: __import__("shape_outside")),
        ("another backend", lambda: load("circle")),
    ]


HOOK = """
    import sys

    def register_backend() -> None:
        sys.modules["__main__"].shape_hook()
"""
OUTSIDE = """
    from tvm.script.namespace import register_script_namespace
    register_script_namespace("outside", object())
"""


@pytest.fixture
def hook(world: World, monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
    """Make the backend "shape", whose hook calls what the returned function is given, and "circle" beside it."""
    world.package("shape", HOOK, part="", other="")
    world.package(
        "circle", "from tvm.ir import Op, register_op\ndef register_backend(): register_op(Op('tirx.circle'))"
    )
    world.module("shape_outside", OUTSIDE)
    monkeypatch.setattr(sys.modules["__main__"], "shape_hook", lambda: None, raising=False)
    return lambda function: monkeypatch.setattr(sys.modules["__main__"], "shape_hook", function)


class TestHooks:
    def test_all_steps_together_are_undone_too(self, hook: Callable[[Callable[[], object]], None]) -> None:
        hook(lambda: [step() for _, step in steps()])
        before = state()
        with undone():
            load("shape")
            assert is_loaded("shape")
            assert is_loaded("circle")
            kinds = {key for key, value in changed(before).items() if isinstance(value, dict)}
        registries = {key for key, value in before.items() if isinstance(value, dict) and key != "libraries"}
        assert kinds == registries

    @pytest.mark.parametrize("error", [ValueError("broken"), KeyboardInterrupt(), SystemExit(3)], ids=repr)
    @pytest.mark.parametrize("count", range(len(steps()) + 1))
    def test_one_that_raises_after_some_steps_leaves_no_trace(
        self, count: int, error: BaseException, hook: Callable[[Callable[[], object]], None]
    ) -> None:
        """And the next load begins anew: its steps find nothing registered twice."""

        def broken() -> None:
            for _, step in steps()[:count]:
                step()
            raise error

        before = state()
        for _ in range(2):
            hook(broken)
            with pytest.raises(type(error)):
                load("shape")
            assert changed(before) == {}
        hook(lambda: [step() for _, step in steps()])
        with undone():
            load("shape")
            assert is_loaded("shape")

    def test_one_that_registers_twice(self, hook: Callable[[Callable[[], object]], None]) -> None:
        hook(lambda: [register_op(Op("tirx.twice")) for _ in range(2)])
        with pytest.raises(RegistryError, match=r"'tirx\.twice' is registered already as an operation"):
            load("shape")

    def test_one_that_loads_itself_and_finds_itself_loaded(self, hook: Callable[[Callable[[], object]], None]) -> None:
        seen: list[bool] = []

        def again() -> None:
            seen.append(is_loaded("shape"))
            load("shape")
            seen.append(is_loaded("shape"))

        hook(again)
        with undone():
            load("shape")
        assert seen == [True, True]
        assert not is_loaded("shape")

    def test_a_nested_load_that_fails_is_undone_alone(
        self, world: World, hook: Callable[[Callable[[], object]], None]
    ) -> None:
        world.package(
            "square",
            "from tvm.ir import Op, register_op\ndef register_backend():\n    register_op(Op('tirx.square'))\n    1 / 0",
        )

        def careful() -> None:
            register_op(Op("tirx.shape"))
            with pytest.raises(ZeroDivisionError):
                load("square")
            assert not is_loaded("square")

        hook(careful)
        with undone():
            load("shape")
            assert Op.get("tirx.shape").name == "tirx.shape"
            with pytest.raises(RegistryError):
                Op.get("tirx.square")

    def test_what_another_thread_registers_meanwhile_stays(self, hook: Callable[[Callable[[], object]], None]) -> None:
        def broken() -> None:
            register_op(Op("tirx.mine"))
            other = threading.Thread(target=lambda: register_op(Op("tirx.theirs")))
            other.start()
            other.join()
            raise ValueError

        hook(broken)
        with pytest.raises(ValueError, match=r"^$"):
            load("shape")
        assert [has_op("tirx.mine"), has_op("tirx.theirs")] == [False, True]
        unregister_op("tirx.theirs")


class TestCycles:
    def test_two_that_load_each_other(self, world: World) -> None:
        for one, other in (("left", "right"), ("right", "left")):
            world.package(one, f"from tvm.backend import load\ndef register_backend(): load({other!r})")
        with undone():
            load("left")
            assert is_loaded("left")
            assert is_loaded("right")

    def test_a_cycle_that_fails_leaves_neither(self, world: World) -> None:
        world.package("left", "from tvm.backend import load\ndef register_backend():\n    load('right')\n    1 / 0")
        world.package("right", "from tvm.backend import load\ndef register_backend(): load('left')")
        with pytest.raises(ZeroDivisionError):
            load("left")
        assert not is_loaded("right")

    def test_a_cycle_in_two_threads_ends(self, world: World) -> None:
        for one, other in (("left", "right"), ("right", "left")):
            source = f"""
                from tvm.backend import load

                def register_backend():
                    import __main__
                    __main__.meet()
                    load({other!r})
            """
            world.package(one, source)
        said = world.python(
            """
            import threading
            import tvm
            meet = threading.Barrier(2, timeout=20).wait
            threads = [threading.Thread(target=tvm.backend.load, args=(name,)) for name in ("left", "right")]
            for thread in threads: thread.start()
            for thread in threads: thread.join(20)
            print(*map(tvm.backend.is_loaded, ("left", "right")), *(thread.is_alive() for thread in threads))
            """
        )
        assert said == "True True False False\n"


SLOW = """
    import time
    from tvm.ir import Op, register_op

    def register_backend():
        register_op(Op("tirx.slow"))
        time.sleep(0.3)
        import __main__
        __main__.done.append(1)
        {end}
"""
RACE = """
    import threading
    import tvm
    from tvm.ir import has_op
    done, seen = [], []

    def race():
        try:
            tvm.backend.load("slow")
            seen.append((len(done), has_op("tirx.slow"), tvm.backend.is_loaded("slow")))
        except ZeroDivisionError:
            seen.append("failed")

    threads = [threading.Thread(target=race) for _ in range(8)]
    for thread in threads: thread.start()
    for thread in threads: thread.join(30)
    print(len(done), seen == {expected}, has_op("tirx.slow"), tvm.backend.is_loaded("slow"))
"""


class TestThreads:
    def test_eight_threads_get_the_result_of_one_hook(self, world: World) -> None:
        world.package("slow", SLOW.format(end=""))
        assert world.python(RACE.format(expected="[(1, True, True)] * 8")) == "1 True True True\n"

    def test_each_of_eight_threads_tries_what_fails(self, world: World) -> None:
        world.package("slow", SLOW.format(end="1 / 0"))
        assert world.python(RACE.format(expected="['failed'] * 8")) == "8 True False False\n"

    def test_another_backend_does_not_wait(self, world: World) -> None:
        world.package("slow", SLOW.format(end=""))
        world.package("quick", QUIET)
        said = world.python(
            """
            import threading, tvm
            done = []
            thread = threading.Thread(target=tvm.backend.load, args=("slow",))
            thread.start()
            tvm.backend.load("quick")
            print(tvm.backend.is_loaded("quick"), tvm.backend.is_loaded("slow"), done)
            thread.join()
            """
        )
        assert said == "True False []\n"


class TestForks:
    def test_a_hook_that_forks_is_loaded_in_both(self, world: World) -> None:
        source = """
            import os
            from tvm.ir import Op, register_op

            def register_backend():
                register_op(Op("tirx.forked"))
                import __main__
                __main__.child = os.fork()
        """
        world.package("forked", source)
        said = world.python(
            """
            import os, tvm
            tvm.backend.load("forked")
            from tvm.ir import has_op
            if child: os.waitpid(child, 0)
            print("parent" if child else "child", tvm.backend.is_loaded("forked"), has_op("tirx.forked"), flush=True)
            """
        )
        assert said == "child True True\nparent True True\n"

    def test_a_fork_while_another_thread_loads_leaves_a_clean_child(self, world: World) -> None:
        """In the child that thread does not exist: what it had begun is undone there, and the child can load it itself."""
        world.package("slow", SLOW.format(end=""))
        said = world.python(
            """
            import os, threading, time, tvm
            from tvm.ir import has_op
            done = []
            thread = threading.Thread(target=tvm.backend.load, args=("slow",))
            thread.start()
            while not has_op("tirx.slow"): time.sleep(0.01)
            child = os.fork()
            if child: os.waitpid(child, 0), thread.join()
            else: print("child", tvm.backend.is_loaded("slow"), has_op("tirx.slow"), end=" ")
            tvm.backend.load("slow")
            print("parent" if child else "then", len(done), has_op("tirx.slow"), tvm.backend.is_loaded("slow"), flush=True)
            """,
            PYTHONWARNINGS="ignore",
        )
        assert said == "child False False then 1 True True\nparent 1 True True\n"


class TestNames:
    @pytest.mark.parametrize("name", ["../x", "a.b", "", "é", "a b", "1a", "_x", "import", "cuda/op", "\0"])
    def test_what_is_no_name(self, name: str) -> None:
        before = state()
        with pytest.raises(BackendNameError, match="cannot be the name of a backend"):
            load(name)
        assert changed(before) == {}

    @pytest.mark.parametrize("name", ["op", "codegen", "compilation_pipeline", "operator"])
    def test_what_would_hide_a_module_of_the_kernel_language(self, name: str, world: World) -> None:
        world.package(name, QUIET)
        with pytest.raises(BackendNameError, match=f"would hide tvm.tirx.{name}"):
            load(name)

    def test_what_would_hide_the_loader(self, world: World) -> None:
        world.package("load", QUIET)
        with pytest.raises(BackendNameError, match=r"would hide tvm\.backend\.load"):
            load("load")
        assert backend.load is load


class TestErrors:
    def test_no_package(self) -> None:
        with pytest.raises(BackendNotFoundError, match=r"no backend 'nope': no package tvm\.backend\.nope") as caught:
            load("nope")
        assert isinstance(caught.value, ImportError)
        assert isinstance(caught.value.__cause__, ModuleNotFoundError)
        assert str(Path(backend.__path__[0])) in str(caught.value)

    def test_a_package_that_needs_another_says_which(self, world: World) -> None:
        world.package("needy", "import not_installed_anywhere")
        with pytest.raises(ModuleNotFoundError, match="No module named 'not_installed_anywhere'"):
            load("needy")

    def test_a_package_without_a_hook(self, world: World) -> None:
        world.package("idle", "")
        with pytest.raises(
            BackendHookError, match=r"tvm\.backend\.idle has no function register_backend\(\)"
        ) as caught:
            load("idle")
        assert isinstance(caught.value, AttributeError)

    def test_a_package_that_raises_when_imported(self, world: World) -> None:
        world.package("torn", "from tvm.ir import Op, register_op\nregister_op(Op('tirx.torn'))\nraise SystemExit(1)")
        with pytest.raises(SystemExit):
            load("torn")

    def test_a_package_with_a_syntax_error(self, world: World) -> None:
        world.package("typo", "def register_backend(:")
        with pytest.raises(SyntaxError):
            load("typo")


class TestLoads:
    def test_the_second_load_does_nothing(self, world: World) -> None:
        world.package("once", "CALLS = []\ndef register_backend(): CALLS.append(1)")
        with undone():
            load("once")
            load("once")
            assert sys.modules["tvm.backend.once"].CALLS == [1]

    def test_is_loaded_imports_nothing(self, world: World) -> None:
        world.package("once", QUIET)
        assert not is_loaded("once")
        assert "tvm.backend.once" not in sys.modules

    def test_a_package_that_was_imported_before_stays_imported(self, world: World) -> None:
        world.package("early", "def register_backend(): raise ValueError")
        module = __import__("tvm.backend.early", fromlist=["register_backend"])
        with pytest.raises(ValueError, match=r"^$"):
            load("early")
        assert sys.modules.pop("tvm.backend.early") is module
        del backend.early  # type: ignore[attr-defined] # the import has put it there

    def test_the_modules_are_the_same_objects(self, world: World) -> None:
        world.package("twin", "from tvm.backend.twin import first\n" + QUIET, first="X = 1", second="Y = 2")
        with undone():
            load("twin")
            assert tirx.twin is backend.twin  # type: ignore[attr-defined] # loading it has put it there
            for name in ("first", "second"):
                alias = __import__(f"tvm.tirx.twin.{name}", fromlist=["X"])
                assert alias is sys.modules[f"tvm.backend.twin.{name}"]
                assert alias.__spec__ is not None
                assert alias.__spec__.name == f"tvm.backend.twin.{name}"

    def test_an_optional_library_that_is_none_is_passed_over(self, world: World) -> None:
        world.package("lib", QUIET)
        (world.root / "tvm" / "backend" / "lib" / file_name("tvm_runtime_lib")).write_bytes(b"no library")
        with undone():
            load("lib")
            assert is_loaded("lib")


def test_every_registry_is_in_the_comparison() -> None:
    registry: Registry[str, int] = Registry("a thing of this test")
    before = state()
    registry.register("x", 1)
    assert set(changed(before)) == {"a thing of this test"}
    _registry._ALL.remove(registry)
