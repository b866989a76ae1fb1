import socket
import struct
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tvm.support._pool.frames import Answer, Ask, Channel, Frame

_HEADER = struct.Struct("<qB")


@pytest.fixture
def pair() -> Iterator[tuple[Channel, socket.socket]]:
    own, theirs = socket.socketpair()
    channel = Channel(own)
    yield channel, theirs
    channel.close()
    theirs.close()


def _drain(channel: Channel) -> list[Frame]:
    found: list[Frame] = []
    while frames := list(channel.receive()):
        found += frames
    return found


class TestReceive:
    @given(bodies=st.lists(st.binary(max_size=40)), cuts=st.lists(st.integers(1, 20)))
    def test_frames_are_whole_however_they_are_cut(self, bodies: list[bytes], cuts: list[int]) -> None:
        own, theirs = socket.socketpair()
        channel = Channel(own)
        stream = b"".join(_HEADER.pack(len(body), Answer.COMPLETE) + body for body in bodies)
        found: list[Frame] = []
        for size in [*cuts, max(len(stream), 1)]:
            piece, stream = stream[:size], stream[size:]
            if piece:
                theirs.sendall(piece)
                found += channel.receive()
        channel.close()
        theirs.close()

        assert [frame.body for frame in found] == bodies

    def test_a_large_body(self, pair: tuple[Channel, socket.socket]) -> None:
        channel, theirs = pair
        body = bytes(range(256)) * 400
        theirs.setblocking(False)  # noqa: FBT003 - the system's signature
        data = memoryview(_HEADER.pack(len(body), Answer.EXCEPTION) + body)
        found: list[Frame] = []
        while not found:
            if data:
                data = data[theirs.send(data[:30000]) :]
            found += channel.receive()

        assert found == [Frame(kind=Answer.EXCEPTION, body=bytearray(body))]

    def test_an_answer_of_a_quick_task(self, pair: tuple[Channel, socket.socket]) -> None:
        channel, theirs = pair
        theirs.sendall(_HEADER.pack(1, Answer.PLAIN | 128) + b"x")

        assert list(channel.receive()) == [Frame(kind=Answer.PLAIN, body=b"x", is_quick=True)]

    def test_the_clock_of_a_start(self) -> None:
        assert Frame(kind=Answer.STARTED, body=struct.pack("<d", 1.5)).clock == 1.5

    def test_nothing_there(self, pair: tuple[Channel, socket.socket]) -> None:
        assert _drain(pair[0]) == []

    @pytest.mark.parametrize("begun", [b"", _HEADER.pack(1 << 20, 1) + b"some"])
    def test_the_end_of_the_stream(self, pair: tuple[Channel, socket.socket], begun: bytes) -> None:
        channel, theirs = pair
        theirs.sendall(begun)
        _drain(channel)
        theirs.close()

        with pytest.raises(EOFError):
            list(channel.receive())


class TestSend:
    def test_several_frames_go_together(self, pair: tuple[Channel, socket.socket]) -> None:
        channel, theirs = pair
        channel.put(Ask.TASK, b"one")
        channel.put(Ask.NEXT_TASK, b"two")

        assert channel.flush()
        assert theirs.recv(100) == _HEADER.pack(3, 2) + b"one" + _HEADER.pack(3, 4) + b"two"

    def test_what_does_not_go_is_kept(self, pair: tuple[Channel, socket.socket]) -> None:
        channel, theirs = pair
        body = bytes(range(256)) * 8000
        channel.put(Ask.TASK, body)
        got = b""
        while not channel.flush():
            got += theirs.recv(1 << 20)
        while len(got) < len(body) + _HEADER.size:
            got += theirs.recv(1 << 20)

        assert got == _HEADER.pack(len(body), Ask.TASK) + body

    def test_a_worker_that_is_gone(self, pair: tuple[Channel, socket.socket]) -> None:
        channel, theirs = pair
        theirs.close()
        channel.put(Ask.TASK, b"x")

        with pytest.raises(OSError, match="Broken pipe"):
            channel.flush()
