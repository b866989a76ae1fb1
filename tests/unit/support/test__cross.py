from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.unit.stand_in import MakeStandIn
from tvm.support.cc import create_shared, cross_compiler


class _Recorder:
    """A compile function that records what it is called with."""

    def __init__(self) -> None:
        self.calls: list[tuple[object, Sequence[object], dict[str, Any]]] = []

    def __call__(self, outputs: object, objects: Sequence[object], **given: Any) -> None:
        self.calls.append((outputs, objects, given))


def test_options_and_files_are_added_to_each_call() -> None:
    record = _Recorder()

    cross_compiler(record, options=["-O1"], add_files=["rt.o", Path("x.o")])("out.so", ["a.o"], ["-g"])

    assert record.calls == [("out.so", ["a.o", "rt.o", Path("x.o")], {"options": ["-O1", "-g"]})]


def test_no_list_of_the_caller_is_changed() -> None:
    """The seed's options grow at every call."""
    options, files, objects, given = ["-O1"], ["rt.o"], ["a.o"], ["-g"]
    record = _Recorder()
    compile_all = cross_compiler(record, options=options, add_files=files)

    for _ in range(3):
        compile_all("out.so", objects, given)

    assert (options, files, objects, given) == (["-O1"], ["rt.o"], ["a.o"], ["-g"])
    assert record.calls[0] == record.calls[2]


@pytest.mark.parametrize("one", ["a.o", Path("a.o")])
def test_one_object_needs_no_list(one: str | Path) -> None:
    record = _Recorder()

    cross_compiler(record)("out.so", one)

    assert record.calls[0][1] == [one]


def test_cwd_cache_launcher_compiler_and_limit_are_passed_through() -> None:
    record = _Recorder()
    passed = {"cc": "g++", "cwd": "d", "ccache_env": {"A": "b"}, "launcher": "sccache", "timeout": 3.0}

    cross_compiler(record)("out.so", ["a.o"], cc="g++", cwd="d", ccache_env={"A": "b"}, launcher="sccache", timeout=3.0)

    assert record.calls[0][2] == {"options": [], **passed}


def test_a_path_compiles_with_that_compiler(stand_in: MakeStandIn, tmp_path: Path) -> None:
    arm = stand_in("arm-gcc")

    cross_compiler(Path(arm.path), ["-O1"])(tmp_path / "out.so", ["a.o"], ["-g"])

    assert arm.calls == [["-shared", "-fPIC", "-o", str(tmp_path / ".out.so.tvm" / "out.so"), "-O1", "-g", "a.o"]]


def test_a_paths_triple_is_what_that_compiler_says_when_asked(stand_in: MakeStandIn) -> None:
    """The seed reports the host's."""
    stand_in("g++", output="x86_64-linux-gnu\n")
    compile_arm = cross_compiler("arm-gcc")
    before = compile_arm.get_target_triple()
    stand_in("arm-gcc", output="arm-none-eabi\n")

    assert before is None
    assert compile_arm.get_target_triple() == "arm-none-eabi\n"


def test_attributes_come_from_the_compile_function() -> None:
    compile_all = cross_compiler(create_shared)

    assert compile_all.output_format == "so"
    assert compile_all.get_target_triple is create_shared.get_target_triple


def test_attributes_that_are_given_win() -> None:
    compile_all = cross_compiler("arm-gcc", output_format="elf", get_target_triple=lambda: "mine")

    assert compile_all.output_format == "elf"
    assert compile_all.get_target_triple() == "mine"


@pytest.mark.parametrize("attributes", [{}, {"get_target_triple": None}])
def test_without_any_triple_function_the_attribute_can_still_be_called(attributes: dict[str, None]) -> None:
    record = _Recorder()
    vars(record).update(attributes)

    compile_all = cross_compiler(record)

    assert compile_all.get_target_triple() is None
    assert compile_all.output_format == "so"


def test_what_export_library_reads_beside_is_carried_over_if_it_is_there() -> None:
    record = _Recorder()
    vars(record).update(object_format="bc", need_system_lib=True)

    compile_all: Callable[..., None] = cross_compiler(record)

    assert vars(compile_all)["object_format"] == "bc"
    assert vars(compile_all)["need_system_lib"] is True
    assert not hasattr(cross_compiler(_Recorder()), "object_format")


def test_options_in_one_str_are_refused() -> None:
    with pytest.raises(TypeError, match="options must be a list"):
        cross_compiler("arm-gcc", "-O2")
    with pytest.raises(TypeError, match="options must be a list"):
        cross_compiler("arm-gcc")("out.so", ["a.o"], "-O2")
