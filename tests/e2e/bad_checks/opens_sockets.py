"""Opens sockets: to itself they work, and there is nobody else."""

import socket
from pathlib import Path

import pytest

from tests.matrix.evidence import executed
from tests.matrix.publish import Publish
from tvm.support import process

# Addresses for documentation (RFC 5737 and 3849): nobody has them, but a machine with a network has a way to them.
ELSEWHERE = [(socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")]


def test_it_opens_sockets(arch: str, tmp_path: Path, artefact: Publish) -> None:
    assert [name for _, name in socket.if_nameindex()] == ["lo"]
    for family, address in ELSEWHERE:
        with socket.socket(family) as probe, pytest.raises(OSError, match=r"unreachable|not available|Cannot assign"):
            probe.connect((address, 80))
    with pytest.raises(socket.gaierror):
        socket.getaddrinfo("debian.org", 80)
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        pass
    process.run(["cp", __file__, tmp_path / "words.py"], timeout=60, outputs=[tmp_path / "words.py"])
    artefact("words.py", tmp_path / "words.py", target="any", arch=arch, evidence=[executed("python", "prints")])
