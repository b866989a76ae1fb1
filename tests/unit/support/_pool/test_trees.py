from types import SimpleNamespace

import psutil
import pytest

from tvm.support._pool import trees


class _Process:
    """A process that psutil lists; it can be killed, or not."""

    def __init__(self, error: psutil.Error | None = None) -> None:
        self.error = error
        self.killed = False

    def kill(self) -> None:
        if self.error:
            raise self.error
        self.killed = True


class TestOnWindows:
    @pytest.mark.parametrize("error", [psutil.AccessDenied(1), psutil.NoSuchProcess(1)])
    def test_one_that_cannot_be_ended_does_not_keep_the_others_alive(
        self, error: psutil.Error, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """In the seed an AccessDenied ends the walk."""
        below = [_Process(error), _Process()]
        monkeypatch.setattr(trees, "os", SimpleNamespace(name="nt"))
        monkeypatch.setattr(
            psutil, "Process", lambda _pid: SimpleNamespace(children=lambda *, recursive: below[: recursive + 1])
        )
        trees.end_below(1)
        assert [process.killed for process in below] == [False, True]

    def test_one_that_may_not_be_looked_at_is_no_error(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(pid: int) -> None:
            raise psutil.AccessDenied(pid)

        monkeypatch.setattr(trees, "os", SimpleNamespace(name="nt"))
        monkeypatch.setattr(psutil, "Process", refuse)
        trees.end_below(1)
