from dataclasses import asdict
from typing import Any

from tests.unit.matrix.results_data import a_call
from tvm.matrix.page import recipe
from tvm.support.record import ToolCall


def steps(*calls: ToolCall, name: str = "lib.file") -> list[int]:
    artefact: dict[str, Any] = {"name": name, "sha256": "lib", "calls": list(range(len(calls)))}
    return recipe.steps(artefact, [asdict(call) for call in calls])


def test_the_calls_on_the_way_from_the_sources_stand_in_their_order() -> None:
    assert steps(
        a_call("cc a", ["a.c"], ["a.o"]), a_call("cc b", ["b.c"], ["b.o"]), a_call("ld", ["a.o", "b.o"], ["lib"])
    ) == [0, 1, 2]


def test_of_calls_that_made_the_same_file_one_is_named() -> None:
    compile_a = a_call("cc a", ["a.c"], ["a.o"])
    assert steps(compile_a, compile_a, a_call("ld", ["a.o"], ["lib"]), compile_a) == [1, 2]


def test_a_tool_that_does_not_say_what_it_read_stands_back() -> None:
    assert steps(a_call("ar", ["a.o"], ["lib"]), a_call("ranlib", [], ["lib"])) == [0]


def test_a_call_that_writes_a_file_of_that_name_comes_first() -> None:
    named = a_call("ld", ["a.o"], ["lib"])
    other = ToolCall(**{**named.__dict__, "outputs": a_call("", [], ["other"]).outputs})
    renamed = ToolCall(
        **{**named.__dict__, "outputs": tuple(type(item)(path="other", sha256="lib") for item in named.outputs)}
    )
    assert steps(named, other, renamed, name="folder/lib.file") == [0]


def test_a_file_that_was_changed_in_place_has_no_endless_recipe() -> None:
    assert steps(a_call("strip", ["lib"], ["lib"]), a_call("strip", ["lib"], ["lib"])) == [0, 1]


def test_what_no_call_made_has_no_steps() -> None:
    assert steps(a_call("cc", ["a.c"], ["a.o"])) == []
