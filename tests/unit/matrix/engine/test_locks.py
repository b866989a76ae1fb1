import threading
from pathlib import Path

import pytest

from tvm.error import StorageError
from tvm.matrix.engine.locks import locked


def test_a_second_holder_waits_and_says_so() -> None:
    order: list[str] = []
    waiting = threading.Event()

    def told(text: str) -> None:
        order.append(text)
        waiting.set()

    def second() -> None:
        with locked("tvm-matrix/ndk:1", told):
            order.append("second")

    with locked("tvm-matrix/ndk:1", order.append):
        thread = threading.Thread(target=second)
        thread.start()
        assert waiting.wait(5)
        order.append("first")
    thread.join(5)
    assert order == ["wait for another run that makes tvm-matrix/ndk:1", "first", "second"]


def test_two_names_are_two_locks() -> None:
    told: list[str] = []
    with locked("tvm-matrix/ndk:1", told.append), locked("tvm-matrix/ndk:2", told.append):
        assert told == []


def test_a_folder_that_cannot_be_made_is_a_storage_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(StorageError, match="cannot be made"), locked("x", print):
        pass
