import socket
import struct
from pathlib import Path

import pytest

from tvm.error import EngineError
from tvm.matrix.engine import subnet

HEADER = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"


@pytest.fixture
def routes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file that stands for the kernel's routes: a default route and nothing else."""
    path = tmp_path / "route"
    path.write_text(HEADER + line("eth0", "0.0.0.0", "0.0.0.0"))  # noqa: S104 - a route, nothing is bound
    monkeypatch.setattr(subnet, "_ROUTES", path)
    return path


def line(name: str, destination: str, mask: str) -> str:
    numbers = (f"{struct.unpack('=L', socket.inet_aton(text))[0]:08X}" for text in (destination, mask))
    return f"{name}\t{next(numbers)}\t00000000\t0001\t0\t0\t0\t{next(numbers)}\t0\t0\t0\n"


def test_the_usual_addresses_are_taken_where_nothing_has_them(routes: Path) -> None:
    assert routes.is_file()
    assert subnet.free("10.213.77.1/24", "tvm0") == "10.213.77.1/24"


def test_a_network_that_another_interface_has_is_passed_over(routes: Path) -> None:
    """As in a container of another private engine."""
    with routes.open("a") as file:
        file.write(line("eth0", "10.213.77.0", "255.255.255.0") + line("eth1", "10.213.78.0", "255.255.255.0"))
    assert subnet.free("10.213.77.1/24", "tvm0") == "10.213.79.1/24"


def test_the_bridges_own_route_does_not_count(routes: Path) -> None:
    with routes.open("a") as file:
        file.write(line("tvm0", "10.213.77.0", "255.255.255.0"))
    assert subnet.free("10.213.77.1/24", "tvm0") == "10.213.77.1/24"


def test_where_everything_is_taken_the_error_says_what_to_do(routes: Path) -> None:
    with routes.open("a") as file:
        file.write(line("vpn0", "10.0.0.0", "255.0.0.0"))
    with pytest.raises(EngineError, match="DOCKER_HOST"):
        subnet.free("10.213.77.1/24", "tvm0")


def test_a_system_without_that_file_has_no_routes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(subnet, "_ROUTES", tmp_path / "nothing")
    assert subnet.free("10.213.77.1/24", "tvm0") == "10.213.77.1/24"
