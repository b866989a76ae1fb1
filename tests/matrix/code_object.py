"""What stands in a code object for AMD GPUs: read by pyelftools, and once more by llvm-readelf.

Source of the layouts: LLVM's "User Guide for AMDGPU Backend", sections ELF Code Object and Kernel Descriptor.
"""

import re
import struct
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import NoteSection, Symbol, SymbolTableSection

from tvm.support import process

LIMIT = 120.0
TRIPLE = "amdgcn-amd-amdhsa"
# EF_AMDGPU_MACH, the low byte of e_flags.
MACHINES = {"gfx90a": 0x3F, "gfx942": 0x4C, "gfx950": 0x4F, "gfx1100": 0x41, "gfx1201": 0x4E}
WAVES = {"gfx90a": (64,), "gfx942": (64,), "gfx950": (64,), "gfx1100": (32, 64), "gfx1201": (32, 64)}
# The ABI version in the ELF header of each code object version.
ABIS = {4: 2, 5: 3, 6: 4}
_HSA = 64
_METADATA = 32
_DESCRIPTOR = struct.Struct("<IIIIq20xIIIHHI")
_WAVE32 = 1 << 10


@dataclass(frozen=True, kw_only=True)
class Facts:
    """One code object. `kernels` maps each kernel's name to its wave size, `shared` to its shared memory in bytes."""

    machine: int
    os_abi: int
    abi: int
    target: str
    kernels: dict[str, int]
    shared: dict[str, int]
    undefined: tuple[str, ...]


def inspect(path: Path, arch: str, kernel: str, *, wave: int, version: int = 5, features: str = "") -> str:
    """Compare a code object with what AMD's loader asks of it, and return what was seen as an evidence's detail."""
    ours, theirs = read(path), read_by_llvm(path)
    assert ours == theirs
    assert (ours.machine, ours.os_abi, ours.abi) == (MACHINES[arch], _HSA, ABIS[version])
    assert ours.target == f"{TRIPLE}--{arch}{features}"
    assert ours.kernels == {kernel: wave}
    assert ours.undefined == ()
    return f"{ours.target}, code object V{version}, kernel {kernel} in waves of {wave}, {ours.shared[kernel]} bytes of shared memory, nothing undefined"


def read(path: Path) -> Facts:
    """Read a code object by pyelftools: header, symbols, and the descriptor of each kernel."""
    with path.open("rb") as file:
        elf = ELFFile(file)
        assert (elf["e_machine"], elf["e_type"], elf.elfclass) == ("EM_AMDGPU", "ET_DYN", 64)
        symbols = _symbols(elf)
        descriptors = {
            name.removesuffix(".kd"): _descriptor(elf, symbols, name) for name in symbols if name.endswith(".kd")
        }
        return Facts(
            machine=int(elf["e_flags"]) & 0xFF,
            os_abi=elf.e_ident_raw[7],
            abi=elf.e_ident_raw[8],
            target=_target(elf),
            kernels={name: 32 if words[8] & _WAVE32 else 64 for name, words in descriptors.items()},
            shared={name: words[0] for name, words in descriptors.items()},
            undefined=tuple(name for name, symbol in symbols.items() if symbol["st_shndx"] == "SHN_UNDEF"),
        )


def read_by_llvm(path: Path) -> Facts:
    """Read the same by llvm-readelf, whose text is YAML for the notes: there the compiler says itself what it made."""
    text = process.run(["llvm-readelf", "-h", "--notes", "--symbols", path], timeout=LIMIT, inputs=[path]).output
    names = _all(r"^ {4}\.name: +(\S+)$", text)
    waves = map(int, _all(r"^ {4}\.wavefront_size: (\d+)$", text))
    shared = map(int, _all(r"^ {4}\.group_segment_fixed_size: (\d+)$", text))
    assert _all(r"^ {4}\.symbol: +(\S+)$", text) == [f"{name}.kd" for name in names]
    assert _one(r"OS/ABI: +(.*)$", text) == "AMDGPU - HSA"
    return Facts(
        machine=int(_one(r"Flags: +0x([0-9A-F]+)", text), 16) & 0xFF,
        os_abi=_HSA,
        abi=int(_one(r"ABI Version: +(\d+)$", text)),
        target=_one(r"^amdhsa\.target: +'?([^'\s]+)'?$", text),
        kernels=dict(zip(names, waves, strict=True)),
        shared=dict(zip(names, shared, strict=True)),
        undefined=tuple(_all(r" UND (\S+)$", text)),
    )


def _symbols(elf: ELFFile) -> dict[str, Symbol]:
    table = elf.get_section_by_name(".dynsym")
    assert isinstance(table, SymbolTableSection)
    return {symbol.name: symbol for symbol in table.iter_symbols() if symbol.name}


def _descriptor(elf: ELFFile, symbols: dict[str, Symbol], name: str) -> tuple[int, ...]:
    """Return the words of a kernel's descriptor; its entry must be the kernel's function."""
    symbol = symbols[name]
    assert symbol["st_size"] == _DESCRIPTOR.size
    section = elf.get_section(symbol["st_shndx"])
    start = symbol["st_value"] - section["sh_addr"]
    words: tuple[int, ...] = _DESCRIPTOR.unpack(section.data()[start : start + _DESCRIPTOR.size])
    assert symbol["st_value"] + words[4] == symbols[name.removesuffix(".kd")]["st_value"]
    return words


def _target(elf: ELFFile) -> str:
    """Return the target out of the metadata note, which is MessagePack: the string that follows the key."""
    (section,) = (part for part in elf.iter_sections() if isinstance(part, NoteSection))
    (note,) = (note for note in section.iter_notes() if note["n_name"] == "AMDGPU")
    assert int(note["n_type"]) == _METADATA
    hit = re.search(rb"amdhsa\.target(?:\xd9(.)|([\xa0-\xbf]))", bytes(note["n_descdata"]), re.DOTALL)
    assert hit
    length = hit[1][0] if hit[1] else hit[2][0] & 0x1F
    return bytes(note["n_descdata"])[hit.end() : hit.end() + length].decode()


def _all(pattern: str, text: str) -> list[str]:
    return re.findall(pattern, text, re.MULTILINE)


def _one(pattern: str, text: str) -> str:
    (found,) = set(_all(pattern, text))
    return found
