import errno
import os
import pickle
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import tvm
from tests.unit.support import pool_jobs as jobs
from tvm.exec import popen_worker

ROOT = Path(tvm.__file__).parents[1]
_LIMIT = 60.0


class _Seed:
    """A parent that speaks the seed's protocol."""

    def __init__(self, cwd: Path) -> None:
        read, their_write = os.pipe()
        their_read, write = os.pipe()
        self._read, self._write = os.fdopen(read, "rb"), os.fdopen(write, "wb")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tvm.exec.popen_worker", str(their_read), str(their_write)],
            pass_fds=(their_read, their_write),
            env={"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
            cwd=cwd,
        )
        os.close(their_read)
        os.close(their_write)

    def send(self, function: Callable[..., Any], args: Sequence[Any] = (), timeout: float | None = None) -> None:
        body = pickle.dumps((function, tuple(args), {}, timeout))
        self._write.write(len(body).to_bytes(4, "little", signed=True) + body)
        self._write.flush()

    def receive(self) -> tuple[int, Any]:
        size = int.from_bytes(self._read.read(4), "little", signed=True)
        status, value = pickle.loads(self._read.read(size))  # noqa: S301 - our own worker wrote it
        return status, value

    def close(self) -> None:
        self._read.close()
        self._write.close()


@pytest.fixture
def seed(tmp_path: Path) -> Iterator[_Seed]:
    made = _Seed(tmp_path)
    yield made
    made.close()
    made.process.wait(_LIMIT)


class TestSeed:
    def test_a_result(self, seed: _Seed) -> None:
        seed.send(abs, (-1,))

        assert seed.receive() == (1, 1)

    def test_an_exception(self, seed: _Seed) -> None:
        seed.send(jobs.fail, (KeyError("k"),))
        status, error = seed.receive()

        assert (status, repr(error)) == (2, "KeyError('k')")

    @pytest.mark.parametrize(
        ("task", "args", "text"),
        [
            (jobs.fail_unpicklably, (), "UnpicklableError: with a lock"),
            (jobs.fail, (SystemExit(3),), "SystemExit: 3"),
            (jobs.lock, (), "the result, a _thread.lock, cannot be pickled"),
        ],
    )
    def test_what_cannot_be_sent_is_a_runtime_error(
        self, seed: _Seed, task: Callable[..., object], args: tuple[object, ...], text: str
    ) -> None:
        seed.send(task, args)
        status, error = seed.receive()
        seed.send(abs, (-1,))

        assert (status, type(error)) == (2, RuntimeError)
        assert text in str(error)
        assert seed.receive() == (1, 1)

    def test_its_own_time_limit(self, seed: _Seed) -> None:
        seed.send(time.sleep, (2.0,), 0.05)
        status, error = seed.receive()
        seed.send(abs, (-1,), _LIMIT)

        assert (status, repr(error)) == (3, "TimeoutError()")
        assert seed.receive() == (1, 1)

    def test_a_time_limit_after_the_parent_is_gone_leaves_nothing(self, seed: _Seed) -> None:
        seed.send(time.sleep, (_LIMIT,), 0.3)
        seed.close()

        assert seed.process.wait(_LIMIT / 2) == 1

    def test_it_loads_no_back_end_and_searches_no_current_directory(self, seed: _Seed, tmp_path: Path) -> None:
        (tmp_path / "cloudpickle.py").write_text("raise SystemExit(1)", encoding="ascii")
        seed.send(eval, ("(sorted(__import__('sys').modules), __import__('sys').path)",))
        _, (modules, path) = seed.receive()

        assert [name for name in modules if re.fullmatch(r"tvm\.backend\.[a-z]\w*", name)] == []
        assert "tvm.exec" in modules
        assert str(tmp_path) not in path

    def test_the_end_of_the_stream_ends_it(self, seed: _Seed) -> None:
        seed.send(abs, (-1,))
        seed.receive()
        seed.close()

        assert seed.process.wait(_LIMIT) == 0


def test_without_descriptors_it_says_what_it_wants() -> None:
    done = subprocess.run([sys.executable, popen_worker.__file__], stdout=subprocess.PIPE, check=True, timeout=_LIMIT)

    assert done.stdout.endswith(b"popen_worker.py READ_FD WRITE_FD\n")


class TestFiles:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> str:
        made = tmp_path / "1.0"
        made.mkdir()
        os.utime(made, (0, 0))
        return str(made)

    def test_an_untouched_folder_is_kept(self, folder: str) -> None:
        assert popen_worker.keep_files(folder) == folder

    def test_a_folder_with_files_stays_and_the_next_task_gets_another_one(
        self, folder: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("TMPDIR", folder)
        Path(folder, "file").touch()
        renewed = popen_worker.keep_files(folder)

        assert renewed == folder.replace("1.0", "1.1")
        assert os.environ["TMPDIR"] == renewed
        assert Path(folder, "file").is_file()
        assert popen_worker.keep_files(renewed) == renewed

    def test_a_folder_whose_files_are_gone_again_is_kept(self, folder: str) -> None:
        Path(folder, "file").touch()
        Path(folder, "file").unlink()

        assert popen_worker.keep_files(folder) == folder
        assert Path(folder).stat().st_mtime_ns == 0

    def test_a_task_may_remove_it(self, folder: str) -> None:
        Path(folder).rmdir()

        assert popen_worker.keep_files(folder) == ""


class TestExceptions:
    def test_whole(self) -> None:
        described = popen_worker.describe(ValueError("v"))

        assert described is not None
        assert (described[0], described[2], described[3]) == ("whole", "ValueError", "v")

    def test_in_parts(self) -> None:
        error = jobs.TwoArgumentsError(1, 2)
        described = popen_worker.describe(error)

        assert described is not None
        assert described[0] == "parts"
        assert pickle.loads(described[1]) == (jobs.TwoArgumentsError, ("1 and 2",), {"first": 1, "second": 2}, {})  # noqa: S301 - ours

    def test_attributes_that_are_slots(self) -> None:
        slots = popen_worker._slots(FileNotFoundError(errno.ENOENT, "no", "name"))

        assert (slots["errno"], slots["filename"]) == (errno.ENOENT, "name")

    def test_a_chain_without_end_is_cut(self) -> None:
        error = ValueError("v")
        error.__context__ = cause = KeyError("k")
        cause.__context__ = error
        described = popen_worker.describe(error)
        depth = 0
        while described is not None:
            described, depth = described[6], depth + 1

        assert depth == 20

    def test_a_message_that_fails(self) -> None:
        class SilentError(Exception):
            def __str__(self) -> str:
                raise ValueError

        assert popen_worker.message(SilentError()) == "(no message: its __str__ failed)"
