"""Which addresses the bridge of the private engine has: none that this machine reaches by another way.

In a container of another private engine the usual ones are those of the container itself, and its gateway would be unreachable.
"""

import ipaddress
import socket
import struct
from collections.abc import Iterator
from pathlib import Path

from tvm.error import EngineError

# The kernel's IPv4 routes: interface, destination and (eighth) mask as hexadecimal numbers in network order (proc(5)).
_ROUTES = Path("/proc/net/route")
_TRIES = 20


def free(preferred: str, bridge: str) -> str:
    """Return `preferred` (ADDRESS/LENGTH) or the first of the networks after it that no route but those of `bridge` overlaps."""
    interface = ipaddress.IPv4Interface(preferred)
    taken = list(_routes(bridge))
    for number in range(_TRIES):
        address = interface.ip + number * interface.network.num_addresses
        network = ipaddress.IPv4Interface(f"{address}/{interface.network.prefixlen}").network
        if not any(network.overlaps(other) for other in taken):
            return f"{address}/{network.prefixlen}"
    msg = f"this machine has routes to all networks that the private engine could take, from {preferred} on"
    raise EngineError(msg, fix="start an engine of your own and name it by DOCKER_HOST")


def _routes(bridge: str) -> Iterator[ipaddress.IPv4Network]:
    """Give the destinations of all routes but the default one and those of the bridge."""
    if not _ROUTES.is_file():
        return
    for line in _ROUTES.read_text(encoding="utf-8").splitlines()[1:]:
        name, destination, *_, mask = line.split()[:8]
        if name != bridge and int(mask, 16):
            yield ipaddress.IPv4Network(f"{_address(destination)}/{_address(mask)}")


def _address(text: str) -> str:
    return socket.inet_ntoa(struct.pack("=L", int(text, 16)))
