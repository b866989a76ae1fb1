import socket
from collections.abc import Iterator

import pytest

from tvm.support._pool.poll import Poll, SelectPoll, SystemPoll


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    own, theirs = socket.socketpair()
    own.setblocking(False)  # noqa: FBT003 - the system's signature
    yield own, theirs
    own.close()
    theirs.close()


@pytest.fixture(params=[SystemPoll, SelectPoll])
def poll(request: pytest.FixtureRequest) -> Poll:
    made: Poll = request.param()
    return made


def test_what_can_be_read(poll: Poll, pair: tuple[socket.socket, socket.socket]) -> None:
    own, theirs = pair
    poll.register(own.fileno())
    assert poll.wait(0.0) == set()
    theirs.send(b"x")

    assert poll.wait(None) == {own.fileno()}


def test_what_can_be_written(poll: Poll, pair: tuple[socket.socket, socket.socket]) -> None:
    own, _ = pair
    poll.register(own.fileno())
    poll.sending(own.fileno(), on=True)
    assert poll.wait(1e9) == {own.fileno()}
    poll.sending(own.fileno(), on=False)

    assert poll.wait(0.001) == set()


def test_what_is_forgotten(poll: Poll, pair: tuple[socket.socket, socket.socket]) -> None:
    own, theirs = pair
    poll.register(own.fileno())
    poll.unregister(own.fileno())
    poll.unregister(own.fileno())
    poll.sending(own.fileno(), on=True)
    theirs.send(b"x")

    assert poll.wait(0.0) == set()
