"""What every check gets: the archs its cell declares, and a way to publish what it made. A check never skips."""

import os
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from tests.matrix.publish import Publisher

_PASSED = pytest.StashKey[bool]()
_ARCHS = "TVM_MATRIX_ARCHS"


def declared_archs() -> list[str]:
    """Return the archs of the cell in the order of matrix.yaml."""
    archs = os.environ.get(_ARCHS, "").split(",")
    if not all(archs):
        msg = f"{_ARCHS} must name the archs of the cell, separated by commas; run checks by `python -m tvm.matrix run CELL`"
        raise pytest.UsageError(msg)
    return archs


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for `arch` once for each declared arch."""
    if "arch" in metafunc.fixturenames:
        metafunc.parametrize("arch", declared_archs())


@pytest.fixture
def archs() -> list[str]:
    """Return the archs of the cell in the order of matrix.yaml."""
    return declared_archs()


@pytest.fixture
def root(pytestconfig: pytest.Config) -> Path:
    """Return the root of the tree."""
    return pytestconfig.rootpath


@pytest.fixture
def artefact(request: pytest.FixtureRequest, root: Path) -> Iterator[Publisher]:
    """Return the function that publishes an artefact (see tests.matrix.publish.Publish)."""
    check = request.node.path.stem.removeprefix("check_")
    publisher = Publisher(out=root / os.environ["TVM_MATRIX_OUT"], check=check, test=request.node.nodeid)
    yield publisher
    publisher.finish(passed=request.node.stash.get(_PASSED, False))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skip, and an expected failure, into a failure: what was not checked is not covered."""
    report = yield
    if report.skipped or hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"a check never skips and expects no failure: {report.longrepr or call.excinfo}"
    if report.when == "call":
        item.stash[_PASSED] = report.passed
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Turn the skip of a whole file into a failure."""
    report = yield
    if report.skipped:
        report.outcome = "failed"
        report.longrepr = f"a check never skips: {collector.nodeid}: {report.longrepr}"
    return report
