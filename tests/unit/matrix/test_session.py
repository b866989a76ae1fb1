import pytest

from tests.unit.matrix import fake_engine as fake
from tests.unit.matrix.world import CHECK_CC, World
from tvm.error import CellFailedError, EngineError, ImageError
from tvm.matrix import manifest, runner
from tvm.matrix.session import Session, new_session


def test_an_engine_that_dies_mid_run_is_still_asked_to_sweep(world: World) -> None:
    world.engine.programs[CHECK_CC] = fake.dies
    with pytest.raises(EngineError):
        world.run("first", "second")
    (box,) = world.engine.boxes
    assert world.engine.swept == [box.options.run_id]


def test_a_run_that_ends_well_sweeps_nothing(world: World) -> None:
    world.run("first", "second")
    assert world.engine.swept == []


def test_an_image_that_cannot_be_built_does_not_stop_the_next_cell(world: World) -> None:
    world.engine.broken["first"] = ImageError("step 3 failed", fix="mend it")
    with pytest.raises(ImageError) as caught:
        world.run("first", "second")
    assert caught.value.exit_code == 5
    assert "first: step 3 failed\nfix: mend it" in world.told.lines
    assert world.results.good("second").is_dir()
    assert world.results.reason("first", world.session().tree.sha256) == "step 3 failed"


def test_a_failed_check_does_not_stop_the_next_cell(world: World) -> None:
    world.engine.programs[CHECK_CC] = fake.fails()
    with pytest.raises(CellFailedError, match="failed: first: "):
        world.run("first", "second")
    assert world.results.good("second").is_dir()


def test_a_new_session_tells_what_a_killed_runner_left(world: World) -> None:
    world.engine.left_behind.append("tvm-matrix-old")
    world.session()
    assert world.told.lines == [": removed tvm-matrix-old, whose runner is gone"]


def test_each_session_has_a_run_id_of_its_own(world: World) -> None:
    assert world.session().run_id != world.session().run_id


@pytest.fixture
def far(world: World) -> fake.FakeEngine:
    """Return the engine of another machine, which plays the same programs."""
    return fake.FakeEngine(folder=world.engine.folder / "far", programs=world.engine.programs, name="podman")


def on_two_hosts(world: World, far: fake.FakeEngine) -> Session:
    hosts = {"first": far, "second": world.engine}
    return new_session(world.project, world.engine, world.told, hosts=hosts)


def test_each_cell_runs_on_its_own_host_and_says_so(world: World, far: fake.FakeEngine) -> None:
    runner.run_cells(on_two_hosts(world, far), world.plan("all"))
    assert [box.options.cell for box in far.boxes] == ["first"]
    assert [box.options.cell for box in world.engine.boxes] == ["second"]
    assert "first: on fake 1.0 at memory (overlay2)" in world.told.lines
    builders = [
        manifest.read(world.results.good(cell) / "manifest.json")["predicate"]["runDetails"]["builder"]["id"]
        for cell in ("first", "second")
    ]
    assert builders == ["urn:tvm-matrix:builder:podman", "urn:tvm-matrix:builder:docker"]


def test_whatever_ends_a_run_every_host_is_swept(world: World, far: fake.FakeEngine) -> None:
    session = on_two_hosts(world, far)
    world.engine.dead = True
    with pytest.raises(EngineError):
        runner.run_cells(session, world.plan("all"))
    assert far.swept == world.engine.swept == [session.run_id]


def test_every_host_is_cleared_of_what_killed_runners_left(world: World, far: fake.FakeEngine) -> None:
    far.left_behind = ["a-far-box"]
    on_two_hosts(world, far)
    assert any("removed a-far-box" in line for line in world.told.lines)
