"""Fat binaries: packed by nvfatbin, and read to see which architectures an archive holds code for."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from tvm.support import library
from tvm.support._cuda import bindings

# The container's own layout, as seen in files of CUDA 11 to 13: magic, version, header size, size of the entries; and of each
# entry: kind, version, header size, size, compressed size, unknown, minor, major, arch.
_MAGIC = 0xBA55ED50
_CONTAINER = struct.Struct("<IHHQ")
_ENTRY = struct.Struct("<HHIQIIHHI")
_KIND_PTX, _KIND_ELF = 1, 2


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One entry of a fat binary: for which architecture ("90a"), "cubin" or "ptx", and its bytes."""

    arch: str
    kind: str
    data: bytes
    name: str


@dataclass(frozen=True, kw_only=True)
class Held:
    """What an archive holds: numbers of the architectures with code of their own, and of those with PTX."""

    code: frozenset[int]
    ptx: frozenset[int]


def pack(entries: tuple[Entry, ...], *, timeout: float | None) -> bytes:
    """Return a fat binary of the entries, in their order."""
    outcome = library.call(
        run,
        entries,
        name="nvfatbin",
        options=[f"{entry.kind}:{entry.arch}" for entry in entries],
        inputs={f"{entry.name}.{entry.arch}.{entry.kind}": entry.data for entry in entries},
        heading="Fat binary error",
        timeout=timeout,
    )
    return outcome.products["fatbin"]


def run(entries: tuple[Entry, ...]) -> library.Outcome:
    """Call nvfatbin: what `library.call` runs."""
    nvfatbin = bindings.load("nvfatbin")
    code, log, products = 0, "", {}
    try:
        products = {"fatbin": _packed(nvfatbin, entries)}
    except nvfatbin.nvFatbinError as error:
        code, log = 1, str(error)
    return library.Outcome(
        code=code,
        log=log,
        products=products,
        path=bindings.path("nvfatbin"),
        version=".".join(map(str, nvfatbin.version())),
    )


@lru_cache(maxsize=8)
def held(archive: Path) -> Held:
    """Return the architectures that a library of device code holds, whatever else is in the file."""
    kinds = list(_entries(archive.read_bytes()))
    return Held(
        code=frozenset(arch for kind, arch in kinds if kind == _KIND_ELF),
        ptx=frozenset(arch for kind, arch in kinds if kind == _KIND_PTX),
    )


def _packed(nvfatbin: Any, entries: tuple[Entry, ...]) -> bytes:
    options = ["-64"]
    handle = nvfatbin.create(options, len(options))
    try:
        for entry in entries:
            if entry.kind == "cubin":
                nvfatbin.add_cubin(handle, entry.data, len(entry.data), entry.arch, entry.name)
            else:
                nvfatbin.add_ptx(handle, entry.data, len(entry.data), entry.arch, entry.name, "")
        made = bytearray(nvfatbin.size(handle))
        nvfatbin.get(handle, made)
    finally:
        nvfatbin.destroy(handle)
    return bytes(made)


def _entries(data: bytes) -> Iterator[tuple[int, int]]:
    magic = struct.pack("<I", _MAGIC)
    start = data.find(magic)
    while start >= 0:
        _, _, header, size = _CONTAINER.unpack_from(data, start)
        end = min(start + header + size, len(data))
        position = start + header
        while position + _ENTRY.size <= end:
            kind, _, entry_header, entry_size, _, _, _, _, arch = _ENTRY.unpack_from(data, position)
            yield kind, arch
            position += max(entry_header + entry_size, _ENTRY.size)
        start = data.find(magic, max(end, start + _CONTAINER.size))
