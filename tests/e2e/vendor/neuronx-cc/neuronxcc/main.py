"""The program neuronx-cc: --version, or compile --target TARGET --output NEFF CALLS, which packs the calls of a kernel."""

import io
import json
import struct
import sys
import tarfile
from pathlib import Path


def main() -> int:
    """Do what the command line says."""
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        print("NeuronX Compiler version @VERSION@\n\nPython version", sys.version.split()[0])
        return 0
    command, _target, target, _output, output, calls = arguments
    recorded = [*json.loads(Path(calls).read_text()), f"neuronx-cc {command} {target}"]
    members = {
        "neff.json": json.dumps({"nodes": [], "target": target}).encode(),
        "sg00/pool.bin": f"{len(recorded)} instructions".encode(),
        "calls.json": json.dumps(recorded).encode(),
    }
    packed = _packed(members)
    Path(output).write_bytes(struct.pack("<QQQ", 2, 1024, len(packed)).ljust(1024, b"\0") + packed)
    return 0


def _packed(members: dict[str, bytes]) -> bytes:
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode="w:gz") as tar:
        for name, data in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return sink.getvalue()
