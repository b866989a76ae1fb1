import errno
import io
import json
import os
import tarfile
from dataclasses import replace

import pytest

from tests.unit.matrix import fake_engine as fake
from tests.unit.matrix.fake_engine import Answer, Call, FakeBox
from tests.unit.matrix.world import CHECK_CC, CHECK_TAR, World, bytes_of
from tvm.error import BoxGoneError, CellFailedError, EngineError, StorageError
from tvm.matrix import boxed, manifest
from tvm.matrix.boxed import Variation
from tvm.matrix.engine import BoxOptions
from tvm.matrix.outcome import Status
from tvm.support import process


def test_a_passed_cell_counts_its_tests_and_keeps_the_output(world: World) -> None:
    (outcome,) = world.run("first")
    (check,) = outcome.checks
    assert (check.tests, check.failures, check.why) == (2, 0, "")
    assert (world.results.good("first") / "logs" / "check_cc.log").read_text(encoding="utf-8") == "2 passed\n"


def test_the_box_gets_the_tree_of_its_user(world: World) -> None:
    world.run("first")
    (box,) = world.engine.boxes
    assert bytes_of(box.source)["tvm/a.py"] == b"A = 1\n"
    assert {(member.uid, member.gid, member.mtime) for member in box.members} == {(1000, 1000, 0)}


def test_the_box_is_opened_with_the_limit_and_environment_of_the_plan(world: World) -> None:
    world.run("first")
    options = world.engine.boxes[0].options
    assert (options.cell, options.limit, options.network, options.gpu) == ("first", 360, False, False)
    assert options.env["TVM_MATRIX_ARCHS"] == "x86_64,aarch64"


def test_a_check_runs_with_its_own_limit_and_record(world: World) -> None:
    world.run("first")
    call = world.engine.boxes[0].call("pytest")
    assert (call.timeout, call.env["TVM_MATRIX_RECORD"]) == (60, "/src/out/calls-cc.jsonl")


def test_the_folders_of_the_environment_are_made_before_the_first_probe(world: World) -> None:
    world.run("first")
    assert world.engine.boxes[0].calls[0].argv == ("mkdir", "-p", "/home/tvm", "/tmp")


def test_a_box_without_room_for_its_folders_is_an_engine_error(world: World) -> None:
    world.engine.programs["mkdir"] = fake.prints("mkdir: no space", code=1)
    with pytest.raises(EngineError, match="cannot be made ready:\nmkdir: no space"):
        world.run("first")


def test_every_box_is_closed(world: World) -> None:
    world.run("first", "second")
    assert [box.closed for box in world.engine.boxes] == [[False], [False]]


def test_a_check_without_a_test_fails(world: World) -> None:
    assert "no test ran" in world.failure(fake.prints("0 passed\n")).cause


def test_a_skipped_test_counts_as_a_failure(world: World) -> None:
    def skips(box: FakeBox, _call: Call) -> Answer:
        fake.junit(box, "cc", tests=3, skipped=1)
        return Answer(output="2 passed, 1 skipped\n")

    assert "1 of 3 tests did not pass" in world.failure(skips).cause


def test_a_check_that_overruns_says_its_limit(world: World) -> None:
    assert "ended after its limit of 60 s" in world.failure(fake.prints("..", code=124)).cause


def test_a_check_that_was_killed_is_no_overrun(world: World) -> None:
    assert "ended by SIGKILL" in world.failure(fake.prints("..", code=137)).cause


def test_a_box_that_ends_while_a_check_runs_fails_the_cell_and_the_next_one_runs(world: World) -> None:
    gone = BoxGoneError("the box is gone", fix="look for a check that ends programs")
    world.engine.programs[CHECK_CC] = fake.raises(gone)
    with pytest.raises(CellFailedError, match="failed: first: the box is gone") as caught:
        world.run("first", "second")
    assert caught.value.fix == gone.fix
    assert (world.results.failed("first") / "logs" / "check_cc.log").read_text(encoding="utf-8") == "the box is gone"
    assert world.results.good("second").is_dir()


def test_a_box_that_is_gone_is_not_kept_and_does_not_hide_why_it_failed(world: World) -> None:
    def ends_its_box(box: FakeBox, _call: Call) -> Answer:
        box.gone = True
        return Answer(code=137)

    assert "ended by SIGKILL" in world.failure(ends_its_box, keep=True).cause
    assert not any("kept" in line for line in world.told.lines)


def test_a_junit_file_that_was_cut_off_does_not_hide_the_overrun(world: World) -> None:
    def cut_off(box: FakeBox, _call: Call) -> Answer:
        (box.out / "check_cc.xml").write_text("<testsuites><testsuite", encoding="utf-8")
        return Answer(code=124)

    assert "ended after its limit" in world.failure(cut_off).cause


def test_a_tool_of_another_version_fails_the_check_before_it_starts(world: World) -> None:
    world.engine.programs["gcc --version"] = fake.prints("gcc (Debian 12.2.0-14) 12.2.0\n")
    error = world.failure(fake.passes())
    assert "gcc is 12.2.0, but matrix.yaml wants ==14.*" in error.cause
    assert "matrix.yaml" in error.fix
    assert "pytest" not in {word for call in world.engine.boxes[0].calls for word in call.argv}


def test_a_missing_tool_fails_the_check_and_says_what_to_install(world: World) -> None:
    world.engine.programs["gcc --version"] = fake.prints("exec: gcc: not found", code=127)
    assert "gcc is not there (install: Debian package gcc)" in world.failure(fake.passes()).cause


def test_the_checks_after_a_failed_one_still_run(world: World) -> None:
    cell = world.plan("first").cells[0]
    checks = (cell.checks[0], *world.plan("second").cells[0].checks)
    world.engine.programs[CHECK_CC] = fake.fails()
    session = world.session()
    folder = world.results.staging("first", session.run_id)
    planned = replace(cell, checks=checks)
    outcome = boxed.in_box(session, planned, fake.prepared("first"), folder)
    assert [check.status for check in outcome.checks] == [Status.FAILED, Status.PASSED]


def hostile(*members: tarfile.TarInfo) -> bytes:
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode="w") as tar:
        for member in members:
            tar.addfile(member)
    return sink.getvalue()


def link(name: str, target: str) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = tarfile.SYMTYPE, target
    return member


@pytest.mark.parametrize(
    "stream",
    [
        hostile(tarfile.TarInfo("../../escaped")),
        hostile(tarfile.TarInfo("/escaped")),
        hostile(link("out/artefacts", "/etc")),
        b"no tar at all" * 100,
        b"",
    ],
    ids=["dots", "absolute", "link", "garbage", "nothing"],
)
def test_a_hostile_tar_from_the_box_is_refused_and_nothing_of_it_is_written(world: World, stream: bytes) -> None:
    world.run("first")
    before = bytes_of(world.results.good("first"))
    world.engine.gives = stream
    with pytest.raises(CellFailedError, match="what the checks left in /out is refused") as caught:
        world.run("first")
    assert "plain files and folders" in caught.value.fix
    assert bytes_of(world.results.good("first")) == before
    assert sorted(bytes_of(world.results.failed("first"))) == ["logs/check_cc.log", "manifest.json"]
    assert [path.name for path in world.project.root.parent.rglob("escaped")] == []


def test_a_box_that_gives_another_folder_back_has_run_no_test(world: World) -> None:
    world.engine.gives = hostile(tarfile.TarInfo("elsewhere/check_cc.xml"))
    assert "no test ran" in world.failure(fake.passes()).cause
    assert sorted(bytes_of(world.results.failed("first"))) == ["logs/check_cc.log", "manifest.json"]


def test_folders_that_a_box_leaves_beside_its_artefacts_do_no_harm(world: World) -> None:
    def litters(box: FakeBox, call: Call) -> Answer:
        for name in ("logs/check_cc.log", "manifest.json", "nested/check_cc.xml"):
            (box.out / name).parent.mkdir(exist_ok=True)
            (box.out / name).write_text("forged", encoding="utf-8")
        return fake.passes()(box, call)

    world.engine.programs[CHECK_CC] = litters
    (outcome,) = world.run("first")
    folder = world.results.good("first")
    assert outcome.status is Status.PASSED
    assert (folder / "logs" / "check_cc.log").read_text(encoding="utf-8") == "2 passed\n"
    assert manifest.own(manifest.read(folder / "manifest.json"))["status"] == "passed"


def test_a_disk_that_is_full_when_the_artefacts_come_back_is_a_storage_error(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = os.open

    def refuse(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if path == "libkernel.so":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
        return opened(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", refuse)
    monkeypatch.setattr(os, "supports_dir_fd", {*os.supports_dir_fd, refuse})
    with pytest.raises(StorageError, match="No space left on device") as caught:
        world.run("first")
    assert "free some space" in caught.value.fix
    assert world.staged() == []


@pytest.mark.parametrize("keep", [False, True])
def test_a_failed_box_is_kept_on_request(world: World, keep: bool) -> None:  # noqa: FBT001 - a parameter of the table
    world.failure(fake.fails(), keep=keep)
    assert world.engine.boxes[0].closed == [keep]


def test_a_passed_box_is_never_kept(world: World) -> None:
    world.run("first", keep=True)
    assert world.engine.boxes[0].closed == [False]


def test_user_and_password_in_a_url_reach_neither_log_nor_manifest(world: World) -> None:
    leaked = "https://me:hunter2@mirror/x"

    def leaks(box: FakeBox, _call: Call) -> Answer:
        fake.junit(box, "cc")
        fake.publish(box, "a.so", b"code", evidence=[{"depth": "linked", "by": "ld", "detail": f"from {leaked}"}])
        return Answer(output=f"GET {leaked}\n")

    world.engine.programs[CHECK_CC] = leaks
    world.run("first")
    folder = world.results.good("first")
    text = (folder / "manifest.json").read_text() + (folder / "logs" / "check_cc.log").read_text()
    assert "https://mirror/x" in text
    assert "hunter2" not in text


def test_the_tool_calls_of_a_check_stand_in_its_outcome(world: World) -> None:
    call = {
        "kind": "process",
        "argv": ["gcc", "a.c"],
        "tool": {"path": "/usr/bin/gcc", "version": "14.2", "sha256": "1" * 64},
        "cwd": "/src",
        "seconds": 0.5,
        "exit": 0,
        "inputs": [{"path": "a.c", "sha256": "2" * 64}],
        "outputs": [{"path": "a.o", "sha256": "3" * 64}],
        "environment": {"LANG": "C"},
    }

    def records(box: FakeBox, played: Call) -> Answer:
        (box.out / "calls-cc.jsonl").write_text(json.dumps(call) + "\n", encoding="utf-8")
        return fake.passes()(box, played)

    world.engine.programs[CHECK_CC] = records
    (outcome,) = world.run("first")
    found = outcome.calls[0]
    assert (found.argv, found.tool.version, found.outputs[0].path) == (("gcc", "a.c"), "14.2", "a.o")


def test_the_variation_reaches_the_box(world: World) -> None:
    variation = Variation(source="/elsewhere", user=7, hostname="h", umask=0o077, environment=(("TZ", "X"),))
    cell = world.plan("first").cells[0]
    boxed.open_box(world.session(), cell, fake.prepared("first"), variation)
    options = world.engine.boxes[0].options
    assert (options.source, options.user, options.hostname, options.umask) == ("/elsewhere", 7, "h", 0o077)
    assert (options.env["TZ"], options.env["PYTHONPATH"]) == ("X", "/elsewhere")


def test_the_engine_in_memory_answers_as_the_protocol_says(world: World) -> None:
    """The fake's answer is the real ones': a Completed with the argv that was asked for."""
    options = BoxOptions(cell="first", run_id=world.session().run_id, limit=1)
    done = world.engine.open(fake.prepared("first"), options).run(["python", "--version"], timeout=1)
    assert done == process.Completed(argv=("python", "--version"), code=0, output="Python 3.13.5\n", seconds=0.0)


def test_on_this_machine_a_check_without_its_tools_is_unavailable_and_not_started(local: World) -> None:
    (outcome,) = local.run("first")
    assert [check.status for check in outcome.checks] == [Status.UNAVAILABLE, Status.PASSED]
    assert outcome.checks[0].why == "gcc is 12.2.0, but matrix.yaml wants ==14.*"
    assert "Debian package gcc" in outcome.checks[0].fix
    assert not [call for call in local.engine.boxes[0].calls if CHECK_CC in call.argv]
    assert (outcome.status, outcome.why) == (Status.PASSED, "1 of 2 checks unavailable: cc")


def test_a_kept_box_of_this_machine_is_a_folder(local: World) -> None:
    local.engine.programs[CHECK_TAR] = fake.fails()
    with pytest.raises(CellFailedError):
        local.run("first", keep=True)
    assert f"first: kept {local.engine.boxes[0].name}, until you remove it" in local.told.lines
