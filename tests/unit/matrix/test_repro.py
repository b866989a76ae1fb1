import json
import signal
import time
from collections.abc import Callable

import pytest

from tests.unit.matrix import fake_engine as fake
from tests.unit.matrix.fake_engine import Answer, Call, FakeBox, Program
from tests.unit.matrix.world import CHECK_CC, CHECK_TAR, World, bytes_of
from tvm.error import CellFailedError, DifferenceError, EngineError, ExitCode
from tvm.matrix import report, repro
from tvm.matrix.outcome import CellOutcome
from tvm.matrix.repro import Difference
from tvm.matrix.signals import Interrupted


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return what was waited for, in seconds; nobody really waits."""
    waited = list[float]()
    monkeypatch.setattr(time, "sleep", waited.append)
    return waited


def run(world: World) -> list[Difference]:
    """Build the cell `first` twice and return the differences."""
    told = list[CellOutcome]()
    try:
        repro.repro_cells(world.session(), world.plan("first"), told.append)
    except DifferenceError as error:
        assert not told
        return _differences(error)
    assert [outcome.cell for outcome in told] == ["first"]
    return []


def _differences(error: DifferenceError) -> list[Difference]:
    pairs = (line.strip().split(": ", 1) for line in error.cause.splitlines()[1:])
    return [Difference(name=name, why=why) for name, why in pairs]


def publishes(*builds: dict[str, bytes]) -> Program:
    """Return a check that publishes other artefacts in each build."""

    def play(box: FakeBox, _call: Call) -> Answer:
        fake.junit(box, "cc")
        for name, content in builds[len(box.engine.boxes) - 1].items():
            fake.publish(box, name, content)
        return Answer()

    return play


DIMENSIONS: dict[str, Callable[[FakeBox], object]] = {
    "source folder": lambda box: box.options.source,
    "HOME": lambda box: box.options.env["HOME"],
    "TMPDIR": lambda box: box.options.env["TMPDIR"],
    "host name": lambda box: box.options.hostname,
    "uid": lambda box: (box.options.user, box.members[0].uid),
    "TZ": lambda box: box.options.env["TZ"],
    "LANG": lambda box: box.options.env["LANG"],
    "umask": lambda box: box.options.umask,
    "PYTHONHASHSEED": lambda box: box.options.env.get("PYTHONHASHSEED"),
    "folder order": lambda box: [member.name for member in box.members if member.isfile()],
    "file times": lambda box: {member.mtime for member in box.members},
}


@pytest.mark.parametrize("dimension", [name for name in repro.DIFFERENCES if name != "second"])
def test_the_two_boxes_differ_in_every_dimension_that_is_named(world: World, dimension: str) -> None:
    run(world)
    first, second = world.engine.boxes
    assert DIMENSIONS[dimension](first) != DIMENSIONS[dimension](second)


def test_the_two_builds_differ_in_the_second(world: World, waits: list[float]) -> None:
    run(world)
    assert ("second" in repro.DIFFERENCES, waits) == (True, [1.0])


def test_the_second_box_is_consistent_in_itself(world: World) -> None:
    run(world)
    call = world.engine.boxes[1].call("pytest")
    assert call.env["PYTHONPATH"] == repro.OTHER.source
    assert call.env["TVM_MATRIX_RECORD"] == f"{repro.OTHER.source}/out/calls-cc.jsonl"
    assert world.engine.boxes[1].calls[0].argv == ("mkdir", "-p", "/var/tmp/other/home", "/var/tmp/other/work")


def test_both_boxes_are_of_one_image_and_get_the_same_files(world: World) -> None:
    run(world)
    first, second = world.engine.boxes
    assert bytes_of(first.source) == bytes_of(second.source)
    assert [line for line in world.told.lines if "image first" in line] == ["first: image first of project"]


def test_the_last_run_of_the_same_tree_and_image_is_the_first_build(world: World) -> None:
    world.run("first")
    assert run(world) == []
    plain, other = world.engine.boxes
    assert (plain.options.source, other.options.source) == ("/src", repro.OTHER.source)
    assert json.loads((world.results.repro("first") / "repro.json").read_text(encoding="utf-8"))["identical"] is True


def test_a_difference_to_the_last_run_is_found(world: World) -> None:
    world.engine.programs[CHECK_CC] = publishes({"a.so": b"abc"}, {"a.so": b"abd"})
    world.run("first")
    assert run(world) == [Difference(name="a.so", why="3 and 3 bytes, first difference at byte 2")]


def test_a_last_run_whose_artefact_was_touched_is_no_first_build(world: World) -> None:
    world.run("first")
    (world.results.good("first") / "artefacts" / "libkernel.so").write_bytes(b"touched")
    assert run(world) == []
    assert [box.options.source for box in world.engine.boxes] == ["/src", "/src", repro.OTHER.source]


def test_a_last_run_of_another_tree_is_no_first_build(world: World) -> None:
    world.run("first")
    (world.project.root / "notes.txt").write_text("another tree\n", encoding="utf-8")
    assert run(world) == []
    assert [box.options.source for box in world.engine.boxes] == ["/src", "/src", repro.OTHER.source]


def test_identical_builds_leave_a_proof_and_no_builds(world: World) -> None:
    assert run(world) == []
    folder = world.results.repro("first")
    proof = json.loads((folder / "repro.json").read_text(encoding="utf-8"))
    assert list(bytes_of(folder)) == ["repro.json"]
    assert (proof["identical"], list(proof["artefacts"]), proof["differences"]) == (True, ["libkernel.so"], {})
    assert proof["builds_differed_in"] == list(repro.DIFFERENCES)


def test_the_report_finds_the_proof_of_the_same_tree(world: World) -> None:
    world.run("first")
    run(world)
    (entry,) = report.entries(world.results, world.session().tree.sha256)
    assert report.repro_proof(world.results, entry)["identical"] is True


def test_the_report_takes_no_proof_of_another_tree(world: World) -> None:
    run(world)
    (world.project.root / "notes.txt").write_text("changed\n", encoding="utf-8")
    world.run("first")
    (entry,) = report.entries(world.results, world.session().tree.sha256)
    assert report.repro_proof(world.results, entry) == {}


def test_a_check_that_published_nothing_is_not_run_again(world: World) -> None:
    def passes_alone(box: FakeBox, _call: Call) -> Answer:
        fake.junit(box, "tar")
        return Answer()

    first = world.project.matrix.cells["first"]
    first.checks["tar"] = ["python"]
    world.engine.programs[CHECK_TAR] = passes_alone
    assert run(world) == []
    asked = [
        [check for check in (CHECK_CC, CHECK_TAR) for call in box.calls if check in call.argv]
        for box in world.engine.boxes
    ]
    assert asked == [[CHECK_CC, CHECK_TAR], [CHECK_CC]]


def test_a_path_in_the_bytes_is_found_with_its_offset(world: World) -> None:
    def plants(box: FakeBox, _call: Call) -> Answer:
        fake.junit(box, "cc")
        fake.publish(box, "a.so", b"\x7fELF" + box.options.source.encode() + b"/a.c")
        return Answer()

    world.engine.programs[CHECK_CC] = plants
    # "/src" and "/home...": the first byte that differs is the one behind the slash.
    assert run(world) == [Difference(name="a.so", why="12 and 36 bytes, first difference at byte 5")]


def test_builds_that_differ_are_both_kept(world: World) -> None:
    world.engine.programs[CHECK_CC] = publishes({"a.so": b"one"}, {"a.so": b"two"})
    run(world)
    kept = bytes_of(world.results.repro("first"))
    assert (kept["first/artefacts/a.so"], kept["second/artefacts/a.so"]) == (b"one", b"two")
    assert json.loads(kept["repro.json"])["identical"] is False


def test_a_build_that_is_a_beginning_of_the_other_differs_at_its_end(world: World) -> None:
    world.engine.programs[CHECK_CC] = publishes({"a.so": b"abc"}, {"a.so": b"abcd"})
    assert run(world) == [Difference(name="a.so", why="3 and 4 bytes, first difference at byte 3")]


def test_names_that_only_one_build_has_are_found(world: World) -> None:
    world.engine.programs[CHECK_CC] = publishes({"a.so": b"a", "b.so": b"b"}, {"b.so": b"b", "c.so": b"c"})
    assert run(world) == [
        Difference(name="a.so", why="only in the first build"),
        Difference(name="c.so", why="only in the second build"),
    ]


def test_a_difference_is_an_error_of_its_own_that_names_the_artefact(world: World) -> None:
    world.engine.programs[CHECK_CC] = publishes({"a.so": b"abc"}, {"a.so": b"abcd"})
    with pytest.raises(DifferenceError) as caught:
        repro.repro_cells(world.session(), world.plan("first"), print)
    assert caught.value.exit_code is ExitCode.DIFFERENT
    assert caught.value.cause == "first: two builds differ:\n  a.so: 3 and 4 bytes, first difference at byte 3"
    assert str(world.results.repro("first")) in caught.value.fix


@pytest.mark.parametrize(("failing", "name"), [(0, "first"), (1, "second")])
def test_a_build_that_fails_is_named_and_its_logs_are_kept(world: World, failing: int, name: str) -> None:
    def fails_once(box: FakeBox, call: Call) -> Answer:
        play = fake.fails("it broke\n") if len(box.engine.boxes) - 1 == failing else fake.passes()
        return play(box, call)

    world.engine.programs[CHECK_CC] = fails_once
    with pytest.raises(CellFailedError, match=f"first: the {name} build failed: pytest ended with 1"):
        run(world)
    logs = world.results.repro("first") / name / "logs"
    assert (logs / "check_cc.log").read_text(encoding="utf-8") == "it broke\n"


def test_a_cell_without_artefacts_proves_nothing(world: World) -> None:
    world.engine.programs[CHECK_CC] = publishes({}, {})
    with pytest.raises(CellFailedError, match="there is nothing to compare"):
        run(world)


def test_the_last_good_result_is_not_touched(world: World) -> None:
    world.run("first")
    before = bytes_of(world.results.good("first"))
    world.engine.boxes.clear()
    world.engine.programs[CHECK_CC] = publishes({"a.so": b"one"}, {"a.so": b"two"})
    world.engine.folder = world.engine.folder / "again"
    run(world)
    assert bytes_of(world.results.good("first")) == before


@pytest.mark.parametrize("error", [Interrupted(signal.SIGINT), EngineError("gone")])
def test_an_end_in_the_second_build_leaves_the_proof_before_and_sweeps(world: World, error: BaseException) -> None:
    run(world)
    before = bytes_of(world.results.repro("first"))

    def ends(box: FakeBox, call: Call) -> Answer:
        if len(box.engine.boxes) == 4:
            raise error
        return fake.passes()(box, call)

    world.engine.programs[CHECK_CC] = ends
    with pytest.raises(type(error)):
        run(world)
    assert bytes_of(world.results.repro("first")) == before
    assert world.staged() == []
    assert world.engine.swept == [world.engine.boxes[3].options.run_id]
    assert [box.closed for box in world.engine.boxes] == [[False]] * 4
