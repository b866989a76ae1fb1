"""The page as a reader opens it: from its file, in Chromium, with mouse and keyboard."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e import browser
from tests.e2e.browser import Tab
from tests.e2e.project import Project

_TAB, _ENTER = ("Tab", 9), ("Enter", 13, "\r")
_FOCUS = "document.activeElement"


@pytest.fixture(scope="module")
def _browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with browser.opened(tmp_path_factory.mktemp("browser") / "profile") as tab:
        tab.ask("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        yield tab


@pytest.fixture
def page(project: Project) -> Path:
    """Return the page of a project in which one cell has failed and two are of another tree."""
    project.edit("tests/matrix/check_pack.py", "assert done.output == NOTE", 'assert done.output == "a note"')
    assert project.matrix("run", "one").code == 1
    return project.results / "index.html"


@pytest.fixture
def tab(_browser: Tab, page: Path) -> Tab:
    """Return the browser with the page open, before anything was done."""
    _browser.requests.clear()
    _browser.complaints.clear()
    _browser.open(page)
    return _browser


def test_it_opens_from_its_file_and_asks_for_nothing_else(tab: Tab, page: Path) -> None:
    assert tab.requests == [page.as_uri()]
    assert tab.complaints == []
    assert (
        tab.evaluate("document.querySelector('caption').textContent")
        == "Coverage: 0 of 3 archs reach their declared depth"
    )


def test_the_failure_is_unfolded_and_shows_the_end_of_its_output(tab: Tab) -> None:
    assert tab.evaluate("[...document.querySelectorAll('.cell')].map(cell => [cell.id, cell.open])") == [
        ["cell-one", True],
        ["cell-three", False],
        ["cell-two", False],
    ]
    assert "1 failed" in tab.evaluate("document.querySelector('#cell-one pre').textContent")
    hidden_below = (
        "(pre => pre.scrollHeight - pre.clientHeight - pre.scrollTop)(document.querySelector('#cell-one pre'))"
    )
    # A fold that is open from the start is told to the page's script a moment after the page has loaded.
    tab.wait_for(f"{hidden_below} <= 1")


def test_ages_are_told(tab: Tab) -> None:
    times = tab.evaluate("[...document.querySelectorAll('time')].map(time => time.textContent)")
    assert {time for time in times if not time.endswith(" ago") and time != "just now"} == set()


def test_a_copy_button_copies_the_command_and_says_so(tab: Tab) -> None:
    tab.click("#cell-one dl button")
    tab.wait_for("document.querySelector('#cell-one dl button').textContent === 'copied'")
    assert tab.evaluate("navigator.clipboard.readText()") == "nox -s one"
    assert tab.evaluate("document.querySelector('[aria-live]').textContent") == "Copied: nox -s one"
    tab.wait_for("document.querySelector('#cell-one dl button').textContent === 'copy'")


def test_where_the_browser_has_no_clipboard_the_button_copies_all_the_same(tab: Tab) -> None:
    tab.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed')), true")
    tab.click("#cell-one dl dd:last-of-type button")
    tab.wait_for("document.querySelector('#cell-one dl dd:last-of-type button').textContent === 'copied'")
    assert tab.evaluate("navigator.clipboard.readText()") == "python -m tvm.matrix explain one"
    assert tab.evaluate(f"{_FOCUS}.className") == "copy"


def test_a_fold_opens_at_a_click(tab: Tab) -> None:
    tab.click("#cell-two > summary")
    assert tab.evaluate("document.querySelector('#cell-two').open") is True
    tab.click("#cell-two .artefacts summary")
    assert tab.evaluate("document.querySelector('#cell-two .artefacts details').open") is True


def test_how_an_artefact_was_made_is_written_out_once_and_can_be_copied(tab: Tab) -> None:
    fold, steps = "#cell-two .artefacts details", "document.querySelectorAll('#cell-two .steps li')"
    tab.click("#cell-two > summary")
    for _ in range(3):
        tab.click(f"{fold} > summary")
    tab.wait_for(f"{steps}.length === 1")
    told = tab.evaluate(f"document.querySelector('{fold}').textContent")
    assert "executed by python: prints its three words" in told
    assert "Published by tests/matrix/check_words.py::test_the_program_says_its_words" in told
    command = tab.evaluate(f"{steps}[0].querySelector('code').textContent")
    assert "cp /" in command
    assert command.endswith("/words.py")
    tab.click("#cell-two .steps button")
    tab.wait_for("document.querySelector('#cell-two .steps button').textContent === 'copied'")
    assert tab.evaluate("navigator.clipboard.readText()") == command


def test_the_whole_of_a_hash_is_copied(tab: Tab) -> None:
    tab.click("#cell-two > summary")
    tab.wait_for("document.querySelector('#cell-two .copied button') !== null")
    tab.click("#cell-two .copied button")
    tab.wait_for("document.querySelector('#cell-two .copied button').textContent === 'copied'")
    assert len(tab.evaluate("navigator.clipboard.readText()")) == 64
    assert (
        tab.evaluate("document.querySelector('#cell-two .artefacts button').getAttribute('aria-label')")
        == "copy sha256 of words.py"
    )


def test_a_cells_name_leads_to_the_cell_and_unfolds_it(tab: Tab) -> None:
    tab.click("a[href='#cell-three']")
    tab.wait_for("document.querySelector('#cell-three').open")
    top = "document.querySelector('#cell-three').getBoundingClientRect().top"
    assert tab.evaluate(f"{top} < innerHeight")


def test_the_first_stop_of_the_keyboard_skips_to_the_results(tab: Tab) -> None:
    tab.press(*_TAB)
    assert tab.evaluate(f"{_FOCUS}.textContent") == "Skip to the results"
    assert tab.evaluate(f"{_FOCUS}.getBoundingClientRect().left >= 0") is True
    tab.press(*_ENTER)
    tab.wait_for(f"{_FOCUS}.id === 'main'")


def test_every_stop_of_the_keyboard_can_be_seen_and_a_fold_opens_with_it(tab: Tab) -> None:
    stops = list[str]()
    while not stops or stops[-1] != "SUMMARY cell-two":
        tab.press(*_TAB)
        outline = tab.evaluate(f"getComputedStyle({_FOCUS}).outlineStyle")
        stops.append(tab.evaluate(f"{_FOCUS}.tagName + ' ' + {_FOCUS}.parentElement.id"))
        assert outline == "solid", stops[-1]
        assert len(stops) < 200, stops
    assert len(set(stops)) > 3
    tab.press(*_ENTER)
    assert tab.evaluate("document.querySelector('#cell-two').open") is True


def test_it_is_light_or_dark_as_the_reader_prefers(tab: Tab, tmp_path: Path) -> None:
    grounds, pictures = list[str](), list[bytes]()
    for scheme in ("light", "dark"):
        tab.prefer(scheme)
        grounds.append(tab.evaluate("getComputedStyle(document.body).backgroundColor"))
        pictures.append(tab.screenshot(tmp_path / f"{scheme}.png"))
    assert grounds == ["rgb(255, 255, 255)", "rgb(20, 23, 26)"]
    assert pictures[0] != pictures[1]


def test_on_a_narrow_screen_only_tables_scroll_sideways(tab: Tab, tmp_path: Path) -> None:
    tab.screenshot(tmp_path / "narrow.png", width=400)
    assert tab.evaluate("document.documentElement.scrollWidth") <= 400
