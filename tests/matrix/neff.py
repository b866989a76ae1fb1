"""What stands in a NEFF, the file that a Neuron device loads: a header of 1024 bytes, then a gzipped tar.

Source: what the runtime asks of it (three little-endian words first: version of the packing, bytes of the header, bytes of the tar),
and the members that it reads: neff.json, and a program (*.bin) for each engine that takes part.
"""

import io
import json
import struct
import tarfile
from dataclasses import dataclass
from pathlib import Path

_WORDS = struct.Struct("<QQQ")
_HEADER = 1024
# The packing that is a gzipped tar.
_PACKED = 2


@dataclass(frozen=True, kw_only=True)
class Neff:
    """The members of a NEFF by their names."""

    members: dict[str, bytes]

    @property
    def programs(self) -> dict[str, int]:
        """The programs of the engines, with their bytes."""
        return {name: len(data) for name, data in sorted(self.members.items()) if name.endswith(".bin")}


def read(path: Path) -> Neff:
    """Read a NEFF; what the runtime would refuse is an AssertionError."""
    data = path.read_bytes()
    assert len(data) > _HEADER, f"{len(data)} bytes are no NEFF"
    version, header, size = _WORDS.unpack_from(data)
    assert (version, header, size) == (_PACKED, _HEADER, len(data) - _HEADER)
    with tarfile.open(fileobj=io.BytesIO(data[_HEADER:]), mode="r:gz") as packed:
        files = {member.name.removeprefix("./"): packed.extractfile(member) for member in packed if member.isfile()}
        return Neff(members={name: file.read() for name, file in files.items() if file})


def inspect(path: Path) -> str:
    """Read a NEFF, see that a device would find its graph and its programs, and return what was seen as an evidence's detail."""
    neff = read(path)
    assert isinstance(json.loads(neff.members["neff.json"]), dict)
    assert neff.programs, f"no program among {sorted(neff.members)}"
    assert all(neff.programs.values()), f"an empty program: {neff.programs}"
    shown = ", ".join(f"{Path(name).name} {size}" for name, size in neff.programs.items())
    return f"{len(neff.members)} members, neff.json is read, programs with their bytes: {shown}"
