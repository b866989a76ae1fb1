import multiprocessing
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.stand_in import MakeStandIn
from tvm.error import LockTimeoutError, TVMError
from tvm.support import utils
from tvm.support.utils import (
    DirectoryCreatedPastAtExit,
    TempDirectory,
    filelock,
    is_source_path,
    search_path,
    tempdir,
    which,
)

ROOT = str(Path(utils.__file__).parents[2])


def python(code: str, *args: str, env: dict[str, str] | None = None) -> str:
    """Run a program in a process of its own and return what it printed (both streams)."""
    command = [sys.executable, "-c", code, *args]
    done = subprocess.run(
        command,
        env={"PYTHONPATH": ROOT, **(env or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
        check=False,
    )
    return done.stdout.decode()


class TestTempDirectory:
    def test_makes_a_private_directory(self) -> None:
        with tempdir() as temp:
            assert Path(temp.temp_dir).is_dir()
            assert Path(temp.temp_dir).stat().st_mode & 0o777 == 0o700

    def test_path_slash_and_relpath_agree(self) -> None:
        with tempdir() as temp:
            assert temp / "a" == temp.path / "a" == temp / Path("a") == Path(temp.relpath("a"))

    def test_slash_names_an_operand_of_another_type(self) -> None:
        with tempdir() as temp, pytest.raises(TypeError, match="int: 3"):
            temp / 3  # type: ignore[operator]  # the mistake under test

    def test_listdir_is_sorted(self) -> None:
        with tempdir() as temp:
            for name in ("b", "c", "a"):
                (temp / name).touch()
            assert temp.listdir() == ["a", "b", "c"]

    def test_removed_at_the_end_of_the_block(self) -> None:
        with tempdir() as temp:
            (temp / "file").touch()
        assert not temp.path.exists()

    def test_removed_with_its_object(self) -> None:
        temp = tempdir()
        path = temp.path
        del temp
        assert not path.exists()

    def test_a_second_remove_leaves_a_new_directory_of_that_name_alone(self, tmp_path: Path) -> None:
        temp = tempdir(tmp_path / "x")
        temp.remove()
        (tmp_path / "x").mkdir()
        temp.remove()
        assert (tmp_path / "x").is_dir()

    def test_listdir_after_remove_is_an_error_and_not_the_current_directory(self) -> None:
        temp = tempdir()
        temp.remove()
        with pytest.raises(FileNotFoundError, match="was removed"):
            temp.listdir()

    def test_remove_survives_a_directory_that_is_gone(self) -> None:
        temp = tempdir()
        temp.path.rmdir()
        temp.remove()
        assert temp.temp_dir not in (TempDirectory.TEMPDIRS or set())

    def test_custom_path_is_made_and_removed(self, tmp_path: Path) -> None:
        with tempdir(str(tmp_path / "mine")) as temp:
            assert temp.temp_dir == str(tmp_path / "mine")
            assert temp.path.is_dir()
        assert not temp.path.exists()

    def test_custom_path_stays_what_it_was_after_chdir(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "elsewhere" / "mine").mkdir(parents=True)
        monkeypatch.chdir(tmp_path)
        temp = tempdir("mine")
        monkeypatch.chdir(tmp_path / "elsewhere")
        temp.remove()
        assert not (tmp_path / "mine").exists()
        assert (tmp_path / "elsewhere" / "mine").is_dir()

    def test_a_custom_path_that_exists_is_refused_and_kept_without_noise(self, tmp_path: Path) -> None:
        # An error in __del__ would be an unraisable warning, and warnings are errors here.
        with pytest.raises(FileExistsError):
            tempdir(tmp_path)
        assert tmp_path.is_dir()

    def test_tempdirs_lists_what_is_to_be_removed(self) -> None:
        with tempdir() as temp:
            assert TempDirectory.TEMPDIRS is not None
            assert temp.temp_dir in TempDirectory.TEMPDIRS
        assert temp.temp_dir not in TempDirectory.TEMPDIRS

    def test_directories_made_by_many_threads_are_all_different_and_removed(self) -> None:
        made: list[str] = []

        def work() -> None:
            for _ in range(50):
                with tempdir() as temp:
                    made.append(temp.temp_dir)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(set(made)) == 400
        assert not any(map(os.path.exists, made))

    def test_a_hold_that_cannot_be_had_leaves_no_directory(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(_folder: str) -> int | None:
            raise OSError(24, "Too many open files")

        monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "t"))
        (tmp_path / "t").mkdir()
        monkeypatch.setattr("tvm.support._stale.hold", fail)
        with pytest.raises(OSError, match="Too many"):
            tempdir()
        assert list((tmp_path / "t").iterdir()) == []

    def test_no_descriptor_is_leaked(self) -> None:
        tempdir().remove()
        before = set(Path("/dev/fd").iterdir())
        for _ in range(10):
            tempdir().remove()
        assert set(Path("/dev/fd").iterdir()) <= before


class TestKeepForDebug:
    @pytest.fixture(autouse=True)
    def _own_parent(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        monkeypatch.setattr(TempDirectory, "_DEBUG_PARENT_DIR", None)
        monkeypatch.setattr(TempDirectory, "_NUM_TEMPDIR_CREATED", 0)

    def test_off_by_default(self) -> None:
        assert TempDirectory._KEEP_FOR_DEBUG is False

    def test_kept_directories_are_counted_under_one_parent(self, tmp_path: Path) -> None:
        first, second = tempdir(keep_for_debug=True), tempdir(keep_for_debug=True)
        assert [first.path.name, second.path.name] == ["00000", "00001"]
        assert first.path.parent == second.path.parent
        assert first.path.parents[1] == tmp_path / "tvm-debug-mode-tempdirs"
        assert first.path.parent.name[:11].count("-") == 2
        assert "___" in first.path.parent.name

    def test_remove_only_forgets(self) -> None:
        temp = tempdir(keep_for_debug=True)
        temp.remove()
        assert temp.path.is_dir()
        with pytest.raises(FileNotFoundError):
            temp.listdir()

    def test_the_setting_nests_and_returns(self) -> None:
        seen = []
        with TempDirectory.set_keep_for_debug():
            with TempDirectory.set_keep_for_debug(set_to=False):
                seen.append(TempDirectory._KEEP_FOR_DEBUG)
            seen.append(TempDirectory._KEEP_FOR_DEBUG)
        assert [*seen, TempDirectory._KEEP_FOR_DEBUG] == [False, True, False]

    def test_the_setting_returns_after_an_error(self) -> None:
        with pytest.raises(KeyError), TempDirectory.set_keep_for_debug():
            raise KeyError
        assert TempDirectory._KEEP_FOR_DEBUG is False

    def test_the_flag_is_fixed_at_construction(self) -> None:
        with TempDirectory.set_keep_for_debug():
            temp = tempdir()
        temp.remove()
        assert temp.path.is_dir()

    def test_a_kept_custom_path_stays(self, tmp_path: Path) -> None:
        tempdir(tmp_path / "mine", keep_for_debug=True).remove()
        assert (tmp_path / "mine").is_dir()


class TestAtExit:
    def test_what_is_left_is_removed_at_exit(self) -> None:
        code = "from tvm.support.utils import *; t = tempdir(); open(t / 'f', 'w').close(); print(t.temp_dir); keep.append(t)"
        printed = python("keep = []\n" + code)
        assert printed.startswith("/")
        assert not Path(printed.strip()).exists()

    def test_after_the_hook_nothing_can_be_made_and_remove_still_works(self) -> None:
        printed = python("""
from tvm.support.utils import *
temp = tempdir()
TempDirectory.remove_tempdirs()
TempDirectory.remove_tempdirs()
print(TempDirectory.TEMPDIRS, temp.path.exists())
temp.remove()
try:
    tempdir()
except DirectoryCreatedPastAtExit as error:
    print(error)
""")
        assert printed.splitlines()[0] == "None False"
        assert printed.splitlines()[1].startswith("a temporary directory was asked for after the exit hook")

    def test_the_error_is_one_of_ours(self) -> None:
        assert issubclass(DirectoryCreatedPastAtExit, TVMError)

    @pytest.mark.parametrize(
        "end", ["sys.exit()", "del temp; os._exit(0)", "temp.remove(); os._exit(0)", "temp.__exit__(None, None, None)"]
    )
    def test_a_forked_child_never_removes_its_parents_directories(self, end: str) -> None:
        printed = python(f"""
import os, sys
from tvm.support.utils import *
temp = tempdir()
if os.fork() == 0:
    {end}
    sys.exit()
os.wait()
print(temp.path.is_dir())
""")
        assert printed == "True\n"

    def test_a_forked_child_removes_its_own_directory_at_exit(self) -> None:
        printed = python("""
import os, sys
from tvm.support.utils import *
keep = [tempdir()]
if os.fork() == 0:
    keep.append(tempdir())
    print(keep[-1].temp_dir, flush=True)
    sys.exit()
os.wait()
""")
        assert printed.startswith("/")
        assert not Path(printed.strip()).exists()

    def test_a_child_forked_while_another_thread_holds_the_lock_goes_on(self) -> None:
        printed = python("""
import os, sys, threading
from tvm.support.utils import *
taken, done = threading.Event(), threading.Event()
def hold():
    with TempDirectory._LOCK:
        taken.set()
        done.wait()
thread = threading.Thread(target=hold)
thread.start()
taken.wait()
child = os.fork()
if child == 0:
    tempdir()
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
done.set()
thread.join()
""")
        assert printed.splitlines()[-1] == "7"

    def test_exit_while_threads_make_directories_is_quiet(self) -> None:
        printed = python("""
import threading
from tvm.support.utils import *
def work():
    try:
        while True:
            tempdir()
    except DirectoryCreatedPastAtExit:
        pass
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
TempDirectory.remove_tempdirs()
for thread in threads: thread.join()
""")
        assert printed == ""


class TestFileLock:
    def test_is_made_and_not_removed(self, tmp_path: Path) -> None:
        filelock(tmp_path / "lock").release()
        assert (tmp_path / "lock").is_file()

    def test_does_not_truncate(self, tmp_path: Path) -> None:
        (tmp_path / "lock").write_text("content")
        with filelock(str(tmp_path / "lock")):
            assert (tmp_path / "lock").read_text() == "content"
        assert (tmp_path / "lock").read_text() == "content"

    def test_release_twice_is_one_release(self, tmp_path: Path) -> None:
        first = filelock(tmp_path / "lock")
        first.release()
        with filelock(tmp_path / "lock"):
            first.release()
            assert not obtainable(tmp_path / "lock")

    def test_excludes_another_process(self, tmp_path: Path) -> None:
        with filelock(tmp_path / "lock"):
            assert not obtainable(tmp_path / "lock")
        assert obtainable(tmp_path / "lock")

    def test_a_context_gives_the_lock_back_after_an_error(self, tmp_path: Path) -> None:
        with pytest.raises(KeyError), filelock(tmp_path / "lock"):
            raise KeyError
        assert obtainable(tmp_path / "lock")

    def test_excludes_another_thread(self, tmp_path: Path) -> None:
        outcome: list[BaseException] = []

        def work() -> None:
            try:
                filelock(tmp_path / "lock", timeout=0).release()
            except LockTimeoutError as error:
                outcome.append(error)

        with filelock(tmp_path / "lock"):
            run_thread(work)
            assert len(outcome) == 1
            assert not obtainable(tmp_path / "lock")

    def test_it_asks_the_primitive_that_every_system_has(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """In the seed there is no lock at all without fcntl, so on Windows."""
        asked: list[tuple[int, bool]] = []

        def busy(descriptor: int, *, blocking: bool) -> bool:
            asked.append((os.fstat(descriptor).st_ino, blocking))
            return False

        monkeypatch.setattr(sys, "platform", "win32")
        monkeypatch.setitem(sys.modules, "fcntl", None)
        monkeypatch.setattr("tvm.support._lock.lock_descriptor", busy)
        with pytest.raises(LockTimeoutError):
            filelock(tmp_path / "lock", timeout=0)
        assert asked == [((tmp_path / "lock").stat().st_ino, False)]

    def test_another_thread_waits_for_the_release(self, tmp_path: Path) -> None:
        order: list[str] = []

        def work() -> None:
            with filelock(tmp_path / "lock"):
                order.append("second")

        first = filelock(tmp_path / "lock")
        thread = threading.Thread(target=work)
        thread.start()
        order.append("first")
        first.release()
        thread.join()
        assert order == ["first", "second"]

    def test_another_thread_may_release(self, tmp_path: Path) -> None:
        lock = filelock(tmp_path / "lock")
        run_thread(lock.release)
        assert obtainable(tmp_path / "lock")

    def test_the_timeout_is_an_error_with_cause_and_fix(self, tmp_path: Path) -> None:
        lock = tmp_path / "lock"
        with filelock(lock):
            printed = python(
                "import sys; from tvm.support.utils import *\ntry: filelock(sys.argv[1], timeout=0.05)\nexcept TimeoutError as e: print(e)",
                str(lock),
            )
        assert f"the lock {str(lock)!r} is held by another thread or process (waited 0.05 s)" in printed
        assert "fix: " in printed

    def test_a_forked_child_can_neither_drop_nor_prolong_it(self, tmp_path: Path) -> None:
        lock = str(tmp_path / "lock")
        printed = python(
            """
import gc, os, subprocess, sys
from tvm.support.utils import *
def obtainable():
    code = "import sys; from tvm.support.utils import *; filelock(sys.argv[1], timeout=0)"
    return subprocess.run([sys.executable, "-c", code, sys.argv[1]], stderr=subprocess.DEVNULL).returncode == 0
lock = filelock(sys.argv[1])
read, write = os.pipe()
child = os.fork()
if child == 0:
    try:
        lock.release()
    except RuntimeError:
        pass
    del lock
    gc.collect()
    os.write(1, b"child done\\n")
    os.close(write)
    os.read(read, 1)
    os._exit(0)
os.close(read)
print(obtainable(), flush=True)
lock.release()
print(obtainable(), flush=True)
os.close(write)
os.waitpid(child, 0)
""",
            lock,
        )
        assert sorted(printed.splitlines()) == ["False", "True", "child done"]

    def test_dropping_the_object_drops_the_lock(self, tmp_path: Path) -> None:
        lock = filelock(tmp_path / "lock")
        del lock
        assert obtainable(tmp_path / "lock")

    def test_a_file_that_cannot_be_made_is_an_error_without_noise(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError):
            filelock(tmp_path / "none" / "lock")

    def test_an_interrupted_wait_leaves_no_descriptor(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def interrupt(_seconds: float) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr("time.sleep", interrupt)
        with filelock(tmp_path / "lock"):
            before = set(Path("/dev/fd").iterdir())
            with pytest.raises(KeyboardInterrupt):
                filelock(tmp_path / "lock")
            assert set(Path("/dev/fd").iterdir()) <= before

    def test_a_killed_holder_holds_no_more(self, tmp_path: Path) -> None:
        python(
            "import os, sys; from tvm.support.utils import *; lock = filelock(sys.argv[1]); os.kill(os.getpid(), 9)",
            str(tmp_path / "lock"),
        )
        filelock(tmp_path / "lock", timeout=0).release()


def run_thread(work: Callable[[], None]) -> None:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def obtainable(lock: Path) -> bool:
    """Ask a process of its own whether the lock is to be had."""
    return python("import sys; from tvm.support.utils import *; filelock(sys.argv[1], timeout=0)", str(lock)) == ""


class TestIsSourcePath:
    @pytest.mark.parametrize(
        "path", ["a.c", "dir/a.cu", "/abs/x.ll", "a b/c.cpp", "lib.so.1", r"C:\x\y.c", "it's (1).c", Path("anything")]
    )
    def test_paths(self, path: str | Path) -> None:
        assert is_source_path(path)

    @pytest.mark.parametrize(
        "text",
        [
            "double f(){return 1.0;}",
            "x.",
            "",
            "int a",
            "a. b",
            "a.b ",
            "#include <math.h>",
            "#define X a.b",
            "// see x.c",
            "int f;\nint g.c",
            "int f() { return 0; } // a.c",
            "x" * 100_000,
            "a\0.c;",
        ],
    )
    def test_source_text(self, text: str) -> None:
        assert not is_source_path(text)

    def test_what_exists_is_a_path_whatever_its_name(self, tmp_path: Path) -> None:
        odd = tmp_path / "int f;{}"
        odd.touch()
        assert is_source_path(str(odd))


class TestSearchPath:
    def test_keeps_absolute_folders_in_order_once(self) -> None:
        assert search_path("/b:/a:/b") == ("/b", "/a")

    def test_drops_empty_and_relative_entries(self) -> None:
        assert search_path(":.:/a:bin:./x:") == ("/a",)

    def test_reads_the_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", "/only")
        assert search_path() == ("/only",)

    def test_without_path_the_systems_default(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("PATH")
        assert search_path() == tuple(os.defpath.split(os.pathsep))

    @given(st.lists(st.text(st.characters(exclude_characters=":\0", exclude_categories=["Cs"]))))
    def test_every_entry_is_absolute_and_unique(self, entries: list[str]) -> None:
        found = search_path(":".join(entries))
        assert len(set(found)) == len(found)
        assert all(entry.startswith("/") for entry in found)


class TestWhich:
    def test_finds_a_program_on_path(self, stand_in: MakeStandIn) -> None:
        tool = stand_in("tool")
        assert which("tool") == tool.path
        assert which("other") is None

    def test_the_first_folder_wins(self, tmp_path: Path) -> None:
        for name in ("one", "two"):
            program(tmp_path / name / "tool")
        assert which("tool", path=f"{tmp_path}/two:{tmp_path}/one") == f"{tmp_path}/two/tool"

    @pytest.mark.parametrize("path", ["", ".", ":", "sub:."])
    def test_never_looks_in_the_current_directory(
        self, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        program(tmp_path / "tool")
        program(tmp_path / "sub" / "tool")
        monkeypatch.chdir(tmp_path)
        assert which("tool", path=path) is None

    @pytest.mark.parametrize("name", ["./tool", "sub/tool", "", ".", "..", "tool/"])
    def test_a_relative_name_is_not_found(self, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        program(tmp_path / "tool")
        program(tmp_path / "sub" / "tool")
        monkeypatch.chdir(tmp_path)
        assert which(name, path=str(tmp_path)) is None

    def test_an_absolute_name_is_taken_as_it_is(self, tmp_path: Path) -> None:
        tool = program(tmp_path / "tool")
        assert which(str(tool)) == which(tool) == str(tool)
        assert which(tmp_path / "none") is None

    def test_passes_by_what_is_no_program(self, tmp_path: Path) -> None:
        (tmp_path / "a" / "tool").mkdir(parents=True)
        (tmp_path / "b").mkdir()
        (tmp_path / "b" / "tool").touch(0o644)
        tool = program(tmp_path / "c" / "tool")
        assert which("tool", path=f"{tmp_path}/a:{tmp_path}/b:{tmp_path}/c") == str(tool)

    def test_windows_suffixes(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("tvm.support.utils._ON_WINDOWS", True)
        monkeypatch.setenv("PATHEXT", ".EXE;.BAT")
        assert utils._program_suffixes("clang") == [".EXE", ".BAT"]
        assert utils._program_suffixes("clang.exe") == [""]
        monkeypatch.delenv("PATHEXT")
        assert ".EXE" in utils._program_suffixes("clang")


def program(path: Path) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.touch(0o755)
    return path


def test_a_spawned_process_starts_with_no_directories() -> None:
    with tempdir() as temp:
        child = multiprocessing.get_context("spawn").Process(target=tempdir)
        child.start()
        child.join()
        assert child.exitcode == 0
        assert temp.path.is_dir()
