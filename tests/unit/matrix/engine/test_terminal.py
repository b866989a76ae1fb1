import os
import pty
import select
import signal
import sys
import termios
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TextIO

import pytest

from tests.unit.matrix.engine.fake_docker import Answer, FakeDocker
from tests.unit.matrix.engine.test_box import IMAGE, options
from tvm.matrix.engine.box import DockerBox, start
from tvm.matrix.engine.client import Client


@dataclass(frozen=True, kw_only=True)
class Screen:
    """A terminal: `master` is what a person sees and types, the other two are what the program has."""

    master: int
    keyboard: TextIO
    shown: TextIO

    def seen(self) -> bytes:
        ready, _, _ = select.select([self.master], [], [], 10)
        return os.read(self.master, 1 << 16) if ready else b""

    def join(self, client: Client, env: dict[str, str]) -> None:
        """Open a box and stay in its shell. pytest gives each phase of a test streams of its own, so they are changed here."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "stdin", self.keyboard)
            patch.setattr(sys, "stdout", self.shown)
            start(client, "box1", IMAGE, options(source="/src"))
            DockerBox(client, "box1", options(source="/src")).shell(env)


@pytest.fixture
def screen() -> Iterator[Screen]:
    master, slave = pty.openpty()
    with os.fdopen(slave) as keyboard, os.fdopen(os.dup(slave), "w") as shown:
        yield Screen(master=master, keyboard=keyboard, shown=shown)
    os.close(master)


def answers(docker: FakeDocker, *pieces: bytes) -> None:
    """Let the shell print something and end."""
    docker.on("POST", "/exec/(.+)/start", lambda _request, _match: Answer(status=101, pieces=pieces, upgrade=True))
    docker.on("POST", "/exec/(.+)/resize", lambda _request, _match: Answer(status=204))


def test_what_the_shell_prints_is_shown_and_the_terminal_is_as_before(
    docker: FakeDocker, client: Client, screen: Screen
) -> None:
    answers(docker, b"hello ", b"\x1b[1mworld")
    before = termios.tcgetattr(screen.keyboard.fileno())
    screen.join(client, {"TERM": "vt100"})
    assert screen.seen() == b"hello \x1b[1mworld"
    assert termios.tcgetattr(screen.keyboard.fileno()) == before


def test_the_shell_has_a_terminal_of_this_size_in_the_source_folder(
    docker: FakeDocker, client: Client, screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((132, 43)))
    answers(docker, b"x")
    screen.join(client, {"TERM": "vt100"})
    (made,) = docker.asked("POST", "/containers/box1/exec")
    asked = {name: made.json[name] for name in ("Tty", "AttachStdin", "WorkingDir", "Env")}
    assert asked == {"Tty": True, "AttachStdin": True, "WorkingDir": "/src", "Env": ["TERM=vt100"]}
    (size,) = docker.asked("POST", "/exec/(.+)/resize")
    assert (size.query["w"], size.query["h"]) == ("132", "43")
    assert screen.seen() == b"x"


def test_an_engine_that_knows_no_sizes_spoils_nothing(docker: FakeDocker, client: Client, screen: Screen) -> None:
    answers(docker, b"x")
    docker.refuse("POST", "/exec/(.+)/resize", 500, "cannot")
    screen.join(client, {})
    assert screen.seen() == b"x"


def test_the_handler_of_a_new_size_is_the_one_from_before(docker: FakeDocker, client: Client, screen: Screen) -> None:
    answers(docker, b"x")
    before = signal.getsignal(signal.SIGWINCH)
    screen.join(client, {})
    assert signal.getsignal(signal.SIGWINCH) == before
    assert screen.seen() == b"x"


def test_a_terminal_that_is_gone_ends_it(
    docker: FakeDocker, client: Client, screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shell waits for keys, and there will be none."""
    monkeypatch.setattr("os.read", lambda _descriptor, _size: b"")
    answers(docker, b"")
    os.write(screen.master, b"k")
    screen.join(client, {})
    assert docker.asked("POST", "/exec/(.+)/start")
