import json
from dataclasses import replace

from tests.unit.matrix.page.cells import a_cell
from tests.unit.matrix.page.reader import Node, read, rows
from tests.unit.matrix.results_data import a_call, an_artefact, an_outcome
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
    assert rows(found.one("table"))[1] == ["lib.so", "x86_64", "llvm", "6 bytes", "lib"]
    assert found.one("a").attributes["href"] == "first/artefacts/lib.so"


def test_its_fold_names_what_the_script_writes_there() -> None:
    first, second = (replace(an_artefact(name), sha256="lib") for name in ("a.so", "b.so"))
    found = read(artefacts.section(a_cell(an_outcome(artefacts=[first, second], calls=[a_call("ld", [], ["lib"])]))))
    folds = found.all("details")
    made = json.loads(found.one("script", class_="made").text)
    assert [fold.attributes["data-made"] for fold in folds] == ["0", "1"]
    assert [made["texts"][test] for _, _, test in made["artefacts"]] == [first.test, second.test]


def test_without_a_script_it_says_where_the_commands_are() -> None:
    assert "manifest.json has them" in section().one("noscript").text


def test_its_fold_says_how_deep_it_was_checked() -> None:
    assert section().one("summary").text == "executed by qemu: seen · 2 commands"


def test_the_caption_has_number_and_size() -> None:
    assert section().one("caption").text == "Artefacts of first: 1, 6 bytes"


def test_a_cell_without_an_artefact_says_so() -> None:
    assert read(artefacts.section(a_cell())).text == "No artefact: no check that passed has published one."
