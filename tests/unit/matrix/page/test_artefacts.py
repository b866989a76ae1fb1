from dataclasses import replace

from tests.unit.matrix.page.cells import HOSTILE, a_cell
from tests.unit.matrix.page.reader import Node, read, rows
from tests.unit.matrix.results_data import a_call, an_artefact, an_outcome
from tvm.matrix.outcome import Evidence
from tvm.matrix.page import artefacts


def section() -> Node:
    """Return the section of a cell with one artefact that two calls made."""
    made = replace(an_artefact(), sha256="lib")
    calls = [
        a_call("cc a.c -o a.o", ["a.c"], ["a.o"]),
        a_call("ld a.o", ["a.o"], ["lib"]),
        a_call("other", ["x"], ["y"]),
    ]
    return read(artefacts.section(a_cell(an_outcome(artefacts=[made], calls=calls))))


def test_an_artefact_is_linked_with_arch_target_size_and_hash() -> None:
    found = section()
    assert rows(found.one("table"))[1] == ["lib.so", "x86_64", "llvm", "6 bytes", "libcopy"]
    assert found.one("a").attributes["href"] == "first/artefacts/lib.so"


def test_it_unfolds_into_the_commands_that_made_it_with_a_button_each() -> None:
    steps = section().one("ol", class_="steps")
    assert [(step.one("code").text, step.one("button").text) for step in steps.all("li")] == [
        ("cc a.c -o a.o", "copy"),
        ("ld a.o", "copy"),
    ]
    assert steps.all("p")[0].text == "14.2 · 0.12 s · in /src"


def test_its_fold_says_how_deep_it_was_checked() -> None:
    assert section().one("summary").text == "executed by qemu: seen · 2 commands"


def test_all_evidence_is_named() -> None:
    item = replace(
        an_artefact(),
        evidence=(*an_artefact().evidence, Evidence(depth=an_artefact().evidence[0].depth, by="wine", detail=HOSTILE)),
    )
    found = read(artefacts.section(a_cell(an_outcome(artefacts=[item]))))
    assert [node.text for node in found.one("ul").all("li")] == [
        "executed by qemu: seen",
        f"executed by wine: {HOSTILE}",
    ]


def test_the_caption_has_number_and_size() -> None:
    assert section().one("caption").text == "Artefacts of first: 1, 6 bytes"


def test_a_cell_without_an_artefact_says_so() -> None:
    assert read(artefacts.section(a_cell())).text == "No artefact: no check that passed has published one."


def test_a_call_that_the_compile_cache_served_says_so() -> None:
    call = replace(a_call("cc a.c -o lib", ["a.c"], ["lib"]), cached=True)
    made = replace(an_artefact(), sha256="lib")
    found = read(artefacts.section(a_cell(an_outcome(artefacts=[made], calls=[call]))))

    assert found.one("ol", class_="steps").all("p")[0].text == "14.2 · 0.12 s · in /src · from the compile cache"
