import errno
import os
import signal
import threading
from pathlib import Path

import pytest

from tests.unit.matrix import fake_engine as fake
from tests.unit.matrix.fake_engine import Answer, Call, FakeBox, Program
from tests.unit.matrix.world import CHECK_CC, CHECK_TAR, World, bytes_of
from tvm.error import CellFailedError, EngineError, ExitCode, StorageError, UnavailableError
from tvm.matrix import manifest, runner
from tvm.matrix.outcome import Status
from tvm.matrix.session import new_session
from tvm.matrix.signals import Interrupted


def test_a_passed_cell_leaves_artefacts_logs_and_manifest(world: World) -> None:
    (outcome,) = world.run("first")
    assert outcome.status is Status.PASSED
    assert sorted(bytes_of(world.results.good("first"))) == [
        "artefacts.jsonl",
        "artefacts/libkernel.so",
        "calls-cc.jsonl",
        "logs/check_cc.log",
        "logs/check_cc.xml",
        "manifest.json",
    ]


def test_the_listener_is_told_every_step_in_order(world: World) -> None:
    world.run("first")
    assert world.told.lines == [
        "first started",
        "first: image first of project",
        "first: check cc",
        "first: cc passed",
        "first passed in first",
    ]


def test_a_failing_check_fails_the_cell_and_names_the_log(world: World) -> None:
    error = world.failure(fake.fails())
    assert error.cause == "failed: first: pytest ended with 1"
    assert str(world.results.failed("first") / "logs") in error.fix


def test_a_failed_cell_goes_to_its_own_folder_and_the_good_one_stays(world: World) -> None:
    world.run("first")
    before = bytes_of(world.results.good("first"))
    world.failure(fake.fails())
    assert bytes_of(world.results.good("first")) == before
    assert manifest.own(manifest.read(world.results.failed("first") / "manifest.json"))["status"] == "failed"


def test_a_passed_cell_ends_the_failure_before_it(world: World) -> None:
    world.failure(fake.fails())
    world.engine.programs[CHECK_CC] = fake.passes()
    world.run("first")
    assert not world.results.failed("first").exists()


def check_untouched_after(world: World, program: Program, error: type[BaseException]) -> None:
    world.run("first")
    before = bytes_of(world.results.good("first"))
    world.engine.programs[CHECK_CC] = program
    with pytest.raises(error):
        world.run("first", "second")
    assert bytes_of(world.results.good("first")) == before
    assert world.staged() == []
    assert not world.results.failed("first").exists()


def test_an_engine_that_dies_mid_run_leaves_the_earlier_result_and_no_staging(world: World) -> None:
    check_untouched_after(world, fake.dies, EngineError)
    assert len(world.engine.boxes) == 2, "the next cell is not tried"


def test_an_interrupt_mid_run_leaves_the_earlier_result_and_no_staging(world: World) -> None:
    check_untouched_after(world, fake.raises(Interrupted(signal.SIGTERM)), Interrupted)
    assert world.engine.boxes[1].closed == [False]
    assert world.engine.swept == [world.engine.boxes[1].options.run_id]


def test_an_interrupt_stays_one_when_the_engine_does_not_answer_any_more(world: World) -> None:
    def interrupted(box: FakeBox, _call: Call) -> Answer:
        box.engine.dead = True
        raise Interrupted(signal.SIGINT)

    check_untouched_after(world, interrupted, Interrupted)


def refuse_writes(monkeypatch: pytest.MonkeyPatch, name: str, number: int) -> None:
    """Let every write of a file called `name` fail, as on a full disk."""
    write_text = Path.write_text

    def refuse(path: Path, text: str, encoding: str | None = None) -> int:
        if name in path.name:
            raise OSError(number, os.strerror(number), str(path))
        return write_text(path, text, encoding=encoding)

    monkeypatch.setattr(Path, "write_text", refuse)


@pytest.mark.parametrize("name", ["check_cc.log", "manifest.json"])
def test_a_full_disk_ends_the_run_with_what_to_do(world: World, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    world.run("first")
    before = bytes_of(world.results.folder)
    refuse_writes(monkeypatch, name, errno.ENOSPC)
    with pytest.raises(StorageError) as caught:
        world.run("first", "second")
    assert "No space left on device" in caught.value.cause
    assert "free some space" in caught.value.fix
    assert bytes_of(world.results.folder) == before


def test_two_runs_at_once_both_end_well_and_one_result_stands(world: World) -> None:
    meet = threading.Barrier(2, timeout=30)

    def waits(box: FakeBox, call: Call) -> Answer:
        meet.wait()
        return fake.passes(box.name.encode())(box, call)

    world.engine.programs[CHECK_CC] = waits
    errors = list[BaseException]()

    def run() -> None:
        try:
            world.run("first")
        except BaseException as error:  # noqa: BLE001 - of a thread, for the test's own thread
            errors.append(error)

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    folder = world.results.good("first")
    (item,) = manifest.own(manifest.read(folder / "manifest.json"))["artefacts"]
    assert (folder / item["path"]).read_bytes() in {box.name.encode() for box in world.engine.boxes}
    assert world.staged() == []


def test_results_of_this_machine_stand_apart(local: World) -> None:
    local.run("first")
    folder = local.results.good("first@local")
    data = manifest.read(folder / "manifest.json")
    assert data["predicate"]["runDetails"]["builder"]["id"] == "urn:tvm-matrix:builder:local"
    assert not local.results.good("first").exists()


def test_where_all_are_required_an_unavailable_check_fails_the_cell(local: World) -> None:
    session = new_session(local.project, local.engine, local.told, require_all=True)
    with pytest.raises(CellFailedError, match="1 of 2 checks unavailable: cc"):
        runner.run_cells(session, local.plan("first"))
    assert local.results.failed("first@local").is_dir()


def test_a_cell_in_which_nothing_ran_ends_with_its_own_code(local: World) -> None:
    local.engine.programs["python --version"] = fake.prints("", code=127)
    with pytest.raises(UnavailableError, match="unavailable: first: 2 of 2 checks unavailable: cc, tar") as caught:
        local.run("first")
    assert caught.value.exit_code is ExitCode.UNAVAILABLE
    assert local.results.failed("first@local").is_dir()


def test_a_failure_says_more_than_a_cell_in_which_nothing_ran(local: World) -> None:
    local.engine.programs |= {"gcc --version": fake.prints("", code=127), CHECK_TAR: fake.fails()}
    cells = local.project.matrix.cells
    cells["first"] = cells["first"].model_copy(update={"checks": {"cc": ["gcc"]}})
    with pytest.raises(CellFailedError, match="failed: first, second: pytest ended with 1"):
        local.run("first", "second")
