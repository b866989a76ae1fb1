import json
from dataclasses import asdict, replace
from typing import Any

import pytest

from tests.unit.matrix.page.cells import HOSTILE
from tests.unit.matrix.page.reader import read
from tests.unit.matrix.results_data import a_call
from tvm.matrix.page.made import Made
from tvm.support.record import ToolCall

ITEM: dict[str, Any] = {
    "name": "lib.so",
    "sha256": "lib",
    "test": "check_cc.py::test_it",
    "evidence": [{"depth": "executed", "by": "qemu", "detail": "seen"}],
    "calls": [0, 1],
}


Written = list[tuple[list[list[str]], list[tuple[str, list[str]]], str]]


def written(made: Made) -> Written:
    """Return what the page's script writes of each artefact: evidence, commands (what is said of each, and its words), test."""
    data = json.loads(read(made.script()).one("script", type="application/json").text)

    def spelled(numbers: list[int]) -> list[str]:
        return [data["texts"][number] for number in numbers]

    return [
        (
            [spelled(entry) for entry in evidence],
            [(" · ".join(spelled(about)), spelled(words)) for about, words in commands],
            data["texts"][test],
        )
        for evidence, commands, test in data["artefacts"]
    ]


def added(item: dict[str, Any], *calls: ToolCall) -> Written:
    made = Made()
    made.add(item, [asdict(call) for call in calls])
    return written(made)


def test_it_holds_evidence_commands_and_test_in_order() -> None:
    calls = [a_call("cc a.c -o a.o", ["a.c"], ["a.o"]), a_call("ld a.o", ["a.o"], ["lib"])]
    ((evidence, commands, test),) = added(ITEM, *calls)
    assert evidence == [["executed", "qemu", "seen"]]
    assert [words for _, words in commands] == [["cc", "a.c", "-o", "a.o"], ["ld", "a.o"]]
    assert commands[0][0] == "14.2 · 0.12 s · in /src"
    assert test == "check_cc.py::test_it"


def test_the_number_of_an_artefact_and_of_its_commands() -> None:
    made, calls = Made(), [asdict(a_call("ld a.o", ["a.o"], ["lib"]))]
    assert [made.add(ITEM, calls), made.add({**ITEM, "calls": []}, calls)] == [(0, 1), (1, 0)]
    assert [len(commands) for _, commands, _ in written(made)] == [1, 0]


@pytest.mark.parametrize(
    ("kind", "words"), [("process", ["a.out", "'b c'"]), ("library", ["lib.so:", "a.out", "'b c'"])]
)
def test_a_command_is_what_a_shell_would_take(kind: str, words: list[str]) -> None:
    call = a_call("ld", ["a.o"], ["lib"])
    tool = replace(call.tool, path="/opt/lib.so")
    ((_, commands, _),) = added({**ITEM, "calls": [0]}, replace(call, kind=kind, argv=("a.out", "b c"), tool=tool))
    assert commands[0][1] == words


def test_a_call_that_the_compile_cache_served_says_so() -> None:
    call = replace(a_call("ld", ["a.o"], ["lib"]), cached=True)
    ((_, commands, _),) = added({**ITEM, "calls": [0]}, call)
    assert commands[0][0] == "14.2 · 0.12 s · in /src · from the compile cache"


def test_a_text_stands_once_however_often_it_occurs() -> None:
    made, calls = Made(), [asdict(a_call("ld a.o --some-option", ["a.o"], ["lib"]))]
    for _ in range(100):
        made.add({**ITEM, "calls": [0]}, calls)
    assert made.script().count("--some-option") == 1


def test_no_text_ends_the_element_or_breaks_out_of_it() -> None:
    item = {**ITEM, "evidence": [{"depth": "executed", "by": HOSTILE, "detail": "]]>\u2028</script"}]}
    made = Made()
    made.add(item, [])
    assert made.script().count("<") == 2
    ((evidence, _, _),) = written(made)
    assert evidence == [["executed", HOSTILE, "]]>\u2028</script"]]


def test_a_secret_in_an_address_stands_nowhere() -> None:
    call = a_call("curl https://user:secret@host/", ["a.o"], ["lib"])
    made = Made()
    made.add({**ITEM, "calls": [0]}, [asdict(call)])
    assert "secret" not in made.script()
