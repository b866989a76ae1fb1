import errno
import os
import shutil
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.matrix.world import bytes_of
from tvm.error import ArchiveError, LockTimeoutError, StorageError
from tvm.matrix import results
from tvm.matrix.owner import owner_id
from tvm.matrix.results import Results, storage, write_atomic
from tvm.matrix.signals import Interrupted, interruptible

# A process of this number cannot be: it is above what Linux gives.
GONE = "4194999-1.a"


@pytest.fixture
def made(tmp_path: Path) -> Results:
    return Results(folder=tmp_path / "build" / "matrix")


def fill(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "manifest.json").write_text(text, encoding="utf-8")
    return folder


def text_of(folder: Path) -> str:
    return (folder / "manifest.json").read_text(encoding="utf-8")


def names(made: Results) -> list[str]:
    return sorted(path.name for path in made.folder.iterdir() if path.is_dir())


def test_staging_is_an_empty_folder_of_the_run(made: Results) -> None:
    folder = made.staging("ndk", "1-2.a")
    assert (folder.name, list(folder.iterdir())) == ("ndk.new-1-2.a", [])


def test_staging_empties_what_lies_there(made: Results) -> None:
    fill(made.staging("ndk", "1-2.a"), "old")
    assert list(made.staging("ndk", "1-2.a").iterdir()) == []


def test_staging_where_a_file_stands_in_the_way_is_a_storage_error(made: Results) -> None:
    made.folder.parent.mkdir()
    made.folder.write_text("a file", encoding="utf-8")
    with pytest.raises(StorageError, match=r"ndk\.new-1-2\.a: cannot be written"):
        made.staging("ndk", "1-2.a")


def test_swap_puts_a_first_result_in_its_place(made: Results) -> None:
    made.swap(fill(made.staging("ndk", GONE), "new"), made.good("ndk"))
    assert (names(made), text_of(made.good("ndk"))) == (["ndk"], "new")


def test_swap_replaces_the_result_before(made: Results) -> None:
    fill(made.good("ndk"), "old")
    (made.good("ndk") / "extra").touch()
    made.swap(fill(made.staging("ndk", GONE), "new"), made.good("ndk"))
    assert bytes_of(made.good("ndk")) == {"manifest.json": b"new", "previous.json": b"old"}
    assert names(made) == ["ndk"]


def test_a_failure_keeps_the_manifest_of_the_one_before(made: Results) -> None:
    fill(made.failed("ndk"), "old")
    made.swap(fill(made.staging("ndk", GONE), "new"), made.failed("ndk"))
    assert bytes_of(made.failed("ndk")) == {"manifest.json": b"new", "previous.json": b"old"}


def test_a_first_good_result_keeps_the_manifest_of_the_failure_that_it_ends(made: Results) -> None:
    fill(made.failed("ndk"), "old")
    made.swap(fill(made.staging("ndk", GONE), "new"), made.good("ndk"))
    assert bytes_of(made.good("ndk")) == {"manifest.json": b"new", "previous.json": b"old"}


def test_a_good_result_ends_the_failure_before_it(made: Results) -> None:
    fill(made.failed("ndk"), "failed")
    made.swap(fill(made.staging("ndk", GONE), "new"), made.good("ndk"))
    assert names(made) == ["ndk"]


@pytest.mark.parametrize("place", [Results.good, Results.failed, Results.repro])
def test_any_result_ends_why_there_was_no_image(made: Results, place: Callable[[Results, str], Path]) -> None:
    made.keep_reason("ndk", "tree", "no network")
    assert (made.reason("ndk", "tree"), made.reason("ndk", "other"), made.reason("host", "tree")) == (
        "no network",
        "",
        "",
    )
    made.swap(fill(made.staging("ndk", GONE), "new"), place(made, "ndk"))
    assert made.reason("ndk", "tree") == ""


@pytest.mark.parametrize("place", [Results.failed, Results.repro])
def test_a_failure_or_a_repro_leaves_the_good_result(made: Results, place: Callable[[Results, str], Path]) -> None:
    fill(made.good("ndk"), "good")
    made.swap(fill(made.staging("ndk", GONE), "other"), place(made, "ndk"))
    assert (text_of(made.good("ndk")), text_of(place(made, "ndk"))) == ("good", "other")


@pytest.mark.parametrize("broken", [KeyboardInterrupt(), OSError(errno.ENOSPC, "full")])
def test_what_comes_between_the_two_renames_does_not_cost_the_result(
    made: Results, monkeypatch: pytest.MonkeyPatch, broken: BaseException
) -> None:
    fill(made.good("ndk"), "old")
    staged = fill(made.staging("ndk", GONE), "new")
    rename = Path.rename

    def fails_for_the_new(path: Path, target: Path) -> Path:
        if path == staged:
            raise broken
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", fails_for_the_new)
    with pytest.raises((KeyboardInterrupt, StorageError)):
        made.swap(staged, made.good("ndk"))
    assert text_of(made.good("ndk")) == "old"


class Killed(BaseException):
    """Stands for SIGKILL: nothing may be done after it."""


def kill_in_swap(made: Results, monkeypatch: pytest.MonkeyPatch, target: Path, after: int) -> None:
    """Swap a new result in, and die after so many steps (renames and removals): nothing works any more from there on."""
    staged = fill(made.staging("ndk", GONE), "new")
    steps = 0

    def stepping(step: Callable[..., object]) -> Callable[..., object]:
        def run(*arguments: object, **options: object) -> object:
            nonlocal steps
            if steps >= after:
                raise Killed
            steps += 1
            return step(*arguments, **options)

        return run

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", stepping(Path.rename))
        patch.setattr(shutil, "rmtree", stepping(shutil.rmtree))
        with pytest.raises(Killed):
            made.swap(staged, target)


@pytest.mark.parametrize(("after", "kept"), [(0, "old"), (1, "old"), (2, "new"), (3, "new")])
def test_recover_after_a_runner_was_killed_in_a_swap(
    made: Results, monkeypatch: pytest.MonkeyPatch, after: int, kept: str
) -> None:
    fill(made.good("ndk"), "old")
    kill_in_swap(made, monkeypatch, made.good("ndk"), after)
    made.recover()
    assert (names(made), text_of(made.good("ndk"))) == (["ndk"], kept)


@pytest.mark.parametrize(("after", "kept"), [(0, "old"), (1, "old"), (2, "new")])
def test_recover_never_takes_a_failure_for_a_good_result(
    made: Results, monkeypatch: pytest.MonkeyPatch, after: int, kept: str
) -> None:
    fill(made.failed("ndk"), "old")
    kill_in_swap(made, monkeypatch, made.failed("ndk"), after)
    made.recover()
    assert (names(made), text_of(made.failed("ndk"))) == (["ndk.failed"], kept)


def test_recover_drops_the_staging_of_a_killed_run(made: Results) -> None:
    fill(made.staging("ndk", GONE), "half")
    made.recover()
    assert names(made) == []


def test_recover_leaves_the_staging_of_a_run_that_goes_on(made: Results) -> None:
    folder = fill(made.staging("ndk", f"{owner_id()}.a"), "half")
    made.recover()
    assert text_of(folder) == "half"


def test_recover_of_a_folder_that_is_not_there_changes_nothing(made: Results) -> None:
    made.recover()
    assert made.cells() == []


def test_cells_are_the_folders_with_a_manifest(made: Results) -> None:
    for name in ("b", "a.failed", f"c.new-{GONE}"):
        fill(made.folder / name, "{}")
    (made.folder / "empty").mkdir()
    assert [path.name for path in made.cells()] == ["a.failed", "b"]


def test_a_lock_that_another_run_holds_ends_the_wait_with_a_clear_error(
    made: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "_LOCK_LIMIT", 0.05)
    with made.locked(), pytest.raises(LockTimeoutError, match="another run holds the lock"), made.locked():
        pass


def test_the_lock_is_free_after_the_block(made: Results) -> None:
    with pytest.raises(RuntimeError), made.locked():
        raise RuntimeError
    with made.locked():
        assert (made.folder / ".lock").exists()


def test_a_signal_ends_the_wait_for_the_lock_and_leaves_it_free(made: Results) -> None:
    def wait() -> None:
        with made.locked():
            timer.start()
            with made.locked():
                pass

    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGTERM))
    with pytest.raises(Interrupted), interruptible():
        wait()
    timer.join()
    with made.locked():
        pass


def test_write_atomic_replaces_the_file_and_leaves_nothing_beside(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old", encoding="utf-8")
    write_atomic(tmp_path / "a", "new")
    assert bytes_of(tmp_path)["a"] == b"new"
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["a"]


def test_a_reader_of_the_old_file_reads_it_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old", encoding="utf-8")
    with (tmp_path / "a").open(encoding="utf-8") as reader:
        write_atomic(tmp_path / "a", "new")
        assert reader.read() == "old"


def test_write_atomic_keeps_the_old_file_on_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_text("old", encoding="utf-8")

    def half(path: Path, text: str, encoding: str) -> int:
        path.write_bytes(text.encode(encoding)[:1])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_text", half)
    with pytest.raises(StorageError, match="a: cannot be written: No space left"):
        write_atomic(tmp_path / "a", "new")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir() if path.is_file()] == [("a", b"old")]


@pytest.mark.parametrize(
    ("number", "fix"),
    [
        (errno.ENOSPC, "python -m tvm.matrix prune"),
        (errno.EDQUOT, "quota"),
        (errno.EACCES, "write permission"),
        (errno.EPERM, "write permission"),
        (errno.EROFS, "read-only"),
    ],
)
def test_what_the_file_system_refuses_becomes_an_error_with_a_fix(number: int, fix: str) -> None:
    with pytest.raises(StorageError) as caught, storage(Path("place")):
        raise OSError(number, os.strerror(number))
    assert caught.value.cause == f"place: cannot be written: {os.strerror(number)}"
    assert fix in caught.value.fix


def test_an_archive_that_is_refused_for_what_it_holds_stays_an_archive_error() -> None:
    refused = ArchiveError("absolute name")
    with pytest.raises(ArchiveError), storage(Path("place")):
        raise refused from OSError(errno.ELOOP, "a link")


def test_what_this_machine_gave_has_a_name_of_its_own() -> None:
    assert (results.place("ndk", "docker"), results.place("ndk", "local")) == ("ndk", "ndk@local")


def test_a_good_result_of_this_machine_ends_its_own_failure_alone(made: Results) -> None:
    fill(made.failed("ndk"), "failed in the image")
    fill(made.failed("ndk@local"), "failed here")
    made.swap(fill(made.staging("ndk@local", "1-2.a"), "good"), made.good("ndk@local"))
    assert (made.failed("ndk").exists(), made.failed("ndk@local").exists()) == (True, False)
