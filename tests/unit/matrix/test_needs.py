import pytest

from tests.unit.matrix import fake_engine as fake
from tests.unit.matrix.fake_engine import FakeBox
from tests.unit.matrix.world import World
from tvm.matrix import needs
from tvm.matrix.engine import BoxOptions
from tvm.matrix.outcome import CheckOutcome, Status
from tvm.matrix.plan import PlannedCell

GOOD = CheckOutcome(name="cc", status=Status.PASSED)
GONE = CheckOutcome(name="nvcc", status=Status.UNAVAILABLE, why="nvcc is not there", fix="install nvcc")


@pytest.fixture
def box(world: World) -> FakeBox:
    return world.engine.open(fake.prepared("first"), BoxOptions(cell="first", run_id="run1", limit=1))


def cell(world: World) -> PlannedCell:
    return world.plan("first").cells[0]


def test_tools_of_the_right_versions_leave_nothing_unmet(world: World, box: FakeBox) -> None:
    assert needs.unmet(cell(world).checks[0], box, local=False) == {}


def test_every_tool_that_is_wrong_is_told(world: World, box: FakeBox) -> None:
    world.engine.programs |= {"gcc --version": fake.prints("", code=127), "python --version": fake.prints("Python 2.7")}
    assert needs.unmet(cell(world).checks[0], box, local=False) == {
        "python": "python is 2.7, but matrix.yaml wants ==3.13.*",
        "gcc": "gcc is not there (install: Debian package gcc)",
    }


def test_a_newer_tool_never_counts_for_the_one_that_is_asked_for(world: World, box: FakeBox) -> None:
    world.engine.programs["gcc --version"] = fake.prints("gcc (Debian 15.1.0-1) 15.1.0")
    assert needs.unmet(cell(world).checks[0], box, local=True) == {"gcc": "gcc is 15.1.0, but matrix.yaml wants ==14.*"}


def test_without_an_image_any_python_that_the_wheels_are_for_serves(world: World, box: FakeBox) -> None:
    world.engine.programs["python --version"] = fake.prints("Python 3.11.2")
    assert needs.unmet(cell(world).checks[0], box, local=True) == {}


def test_an_image_is_mended_in_its_recipe(world: World) -> None:
    assert "images/first" in needs.mend(cell(world), cell(world).checks[0], {"gcc": "why"}, local=False)


def test_on_this_machine_a_tool_is_installed_or_an_engine(world: World) -> None:
    found = needs.mend(cell(world), cell(world).checks[0], {"gcc": "why"}, local=True)
    assert found == "install gcc ==14.* (Debian package gcc), or use a container engine: nox -s engine"


def test_a_cell_whose_checks_all_ran_has_passed() -> None:
    assert needs.verdict([GOOD], require_all=True) == (Status.PASSED, "", "")


def test_one_check_that_could_not_run_is_told_and_does_no_harm() -> None:
    why = "1 of 2 checks unavailable: nvcc"
    assert needs.verdict([GOOD, GONE], require_all=False) == (Status.PASSED, why, "install nvcc")


def test_where_all_are_required_it_is_a_failure() -> None:
    assert needs.verdict([GOOD, GONE], require_all=True)[0] is Status.FAILED


@pytest.mark.parametrize("require_all", [False, True])
def test_a_cell_in_which_nothing_ran_is_unavailable(require_all: bool) -> None:  # noqa: FBT001 - a parameter of the table
    assert needs.verdict([GONE], require_all=require_all)[0] is Status.UNAVAILABLE
