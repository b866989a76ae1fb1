import base64
import hashlib
import itertools
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.unit.matrix.page.cells import HOSTILE, a_cell, with_check
from tests.unit.matrix.page.reader import Node, read
from tests.unit.matrix.results_data import TREE, a_call, an_artefact, an_outcome, keep
from tests.unit.matrix.world import make_project
from tvm.matrix import coverage, report
from tvm.matrix.model import Project
from tvm.matrix.outcome import CellOutcome, Evidence, Status
from tvm.matrix.page.document import document
from tvm.matrix.page.view import Cell
from tvm.matrix.results import Results

ASSETS = Path(document.__code__.co_filename).parent


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return make_project(tmp_path)


def page(project: Project, *cells: Cell) -> Node:
    return read(document(project, coverage.rows(project, TREE.sha256), cells, TREE.sha256))


def lay(project: Project, outcome: CellOutcome) -> Node:
    """Return the page of a project in which a cell has just run, with every file that its result has."""
    results = Results(folder=project.build)
    keep(results, outcome)
    folder = results.good(outcome.cell) if outcome.status is Status.PASSED else results.failed(outcome.cell)
    for item in outcome.artefacts:
        (folder / item.path).parent.mkdir(parents=True, exist_ok=True)
        (folder / item.path).write_bytes(b"x")
    (folder / "logs").mkdir()
    for check in outcome.checks:
        (folder / "logs" / f"check_{check.name}.log").write_text(f"{HOSTILE}\n", encoding="utf-8")
    report.write(project, TREE.sha256)
    return read((results.folder / "index.html").read_text(encoding="utf-8"))


def an_eventful_outcome(status: Status = Status.PASSED) -> CellOutcome:
    made = replace(
        an_artefact("arm/lib.so"),
        sha256="lib",
        test=HOSTILE,
        evidence=(Evidence(depth=an_artefact().evidence[0].depth, by=HOSTILE, detail=HOSTILE),),
    )
    outcome = an_outcome(
        artefacts=[made], calls=[a_call(f"cc {HOSTILE}", ["a.c"], ["lib"])], status=status, why=HOSTILE
    )
    return with_check(outcome, "cc", command=["python", HOSTILE], why=HOSTILE, fix=HOSTILE)


def test_the_first_table_is_the_coverage(project: Project) -> None:
    assert page(project, a_cell()).all("caption")[0].text == "Coverage: 0 of 3 archs reach their declared depth"


def test_it_has_one_language_one_title_one_main_and_one_first_heading(project: Project) -> None:
    found = page(project, a_cell())
    assert found.one("html").attributes["lang"] == "en"
    assert (found.one("title").text, found.one("h1").text) == ("tvm-matrix: results", "tvm-matrix")
    assert [len(found.all(name)) for name in ("main", "header", "nav")] == [1, 1, 1]


def test_headings_leave_out_no_level(project: Project) -> None:
    levels = [int(node.name[1]) for node in page(project, a_cell()).all() if re.fullmatch("h[1-6]", node.name)]
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


@pytest.mark.parametrize("status", list(Status))
def test_every_id_is_there_once_and_every_link_leads_somewhere(project: Project, status: Status) -> None:
    found = lay(project, an_eventful_outcome(status))
    ids = [node.attributes["id"] for node in found.all() if "id" in node.attributes]
    assert len(ids) == len(set(ids))
    for link in found.all("a"):
        target = unquote(str(link.attributes["href"]))
        assert target[1:] in ids if target.startswith("#") else (project.build / target).is_file(), target


def test_labels_point_at_what_is_there(project: Project) -> None:
    found = page(project, a_cell())
    for node in found.all("section"):
        assert found.one(id=str(node.attributes["aria-labelledby"])).name == "h2"


def test_nothing_is_fetched_and_nothing_runs_but_its_own_script(project: Project) -> None:
    found = lay(project, an_eventful_outcome(Status.FAILED))
    assert {key for node in found.all() for key in node.attributes} & {
        "src",
        "srcset",
        "style",
        "onclick",
        "action",
    } == set()
    # A script of another type is data, and never runs.
    scripts = [node for node in found.all("script") if node.attributes.get("type") != "application/json"]
    assert [len(found.all(name)) for name in ("style", "link", "img", "iframe")] == [1, 0, 0, 0]
    (script,) = scripts
    assert not re.search(
        r"https?:|//\w|url\(|@import|import\(|fetch\(|innerHTML|eval\(",
        found.one("style").text + script.text.replace("// ", ""),
    )


def test_the_policy_lets_in_just_that_script_and_that_style(project: Project) -> None:
    found = page(project, a_cell())
    policy = str(found.one("meta", http_equiv="Content-Security-Policy").attributes["content"])
    digests = (hashlib.sha256(found.one(name).text.encode()).digest() for name in ("style", "script"))
    style, script = (f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    assert policy == f"default-src 'none'; style-src {style}; script-src {script}; base-uri 'none'; form-action 'none'"


def test_hostile_names_and_logs_are_text(project: Project) -> None:
    found = lay(project, an_eventful_outcome(Status.FAILED))
    assert found.one("pre").text == f"{HOSTILE}\n"
    assert found.text.count("<script>alert(1)</script>") >= 6


def test_credentials_are_cut(project: Project) -> None:
    outcome = an_outcome(
        status=Status.FAILED,
        why="https://me:secret@host/ does not answer",
        calls=[a_call("git https://me:secret@host/", [], [])],
    )
    assert "secret" not in document(project, [], [a_cell(outcome)], TREE.sha256)


def test_the_first_line_names_what_failed_and_counts_the_rest(project: Project) -> None:
    cells = [a_cell(an_outcome("second", status=Status.FAILED)), a_cell(current=False)]
    text = page(project, *cells).one("p", class_="state").text
    assert text == "1 failed: second · 1 cell of another tree · 0 of 3 archs reach their declared depth"


def test_what_could_not_run_is_counted_apart_from_what_failed(project: Project) -> None:
    cells = (a_cell(), a_cell(an_outcome("nothing", status=Status.UNAVAILABLE)))
    text = page(project, *cells).one("p", class_="state").text
    assert "1 unavailable: nothing" in text
    assert "1 passed" in text
    assert "failed" not in text


def test_a_matrix_without_results_says_how_to_get_one(project: Project) -> None:
    text = page(project).text
    assert ("No cell has a result yet: nox -s engine CELL makes one." in text, "2 not run" in text) == (True, True)


def test_nothing_of_another_tree_is_green(project: Project) -> None:
    assert page(project, a_cell(current=False)).all("span", class_="good") == []


def test_the_same_results_give_the_same_bytes(project: Project) -> None:
    texts = {
        document(project, coverage.rows(project, TREE.sha256), cells, TREE.sha256)
        for cells in ([a_cell(), a_cell(an_outcome("second"))], [a_cell(an_outcome("second")), a_cell()])
    }
    assert len(texts) == 1


def test_fifteen_busy_cells_stay_below_one_megabyte(project: Project) -> None:
    folder = project.build / "first"
    (folder / "logs").mkdir(parents=True)
    (folder / "logs" / "check_cc.log").write_text("E   assert <a> == <b>\n" * 2000, encoding="utf-8")
    objects = [f"o{number}" for number in range(4)]
    calls = [a_call(f"/opt/toolchain/bin/clang {'-Wl,--an-option ' * 20}", ["a.c"], [name]) for name in objects]
    calls += [a_call("/opt/toolchain/bin/lld", objects, ["lib"])]
    artefacts = [replace(an_artefact(f"arch/lib{number}.so"), sha256="lib") for number in range(15)]
    outcomes = [
        an_outcome(f"cell{number}", artefacts=artefacts, calls=calls, status=Status.FAILED) for number in range(15)
    ]
    text = document(project, [], [a_cell(outcome, folder=folder) for outcome in outcomes], TREE.sha256)
    assert (len(text.encode()) < 1_000_000, text.count("assert &lt;a&gt;") > 100) == (True, True)


def colours(scheme: str) -> Mapping[str, str]:
    """Return the colours of the style for readers who prefer `scheme`."""
    light, dark = (ASSETS / "page.css").read_text(encoding="utf-8").split("@media (prefers-color-scheme: dark)")
    found = dict(re.findall(r"--([a-z]+): (#[0-9a-f]{6})", light))
    return found if scheme == "light" else {**found, **dict(re.findall(r"--([a-z]+): (#[0-9a-f]{6})", dark))}


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour, as WCAG 2.2 defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["text", "soft", "link", "good", "bad", "gap"])
@pytest.mark.parametrize("ground", ["ground", "raised"])
def test_every_text_has_the_contrast_that_wcag_asks_for(scheme: str, name: str, ground: str) -> None:
    found = colours(scheme)
    low, high = sorted((luminance(found[name]), luminance(found[ground])))
    assert (high + 0.05) / (low + 0.05) >= 4.5


def test_style_and_script_are_packaged() -> None:
    text = (ASSETS.parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert all(json.dumps(f"matrix/page/*{name}") in text for name in (".css", ".js"))
