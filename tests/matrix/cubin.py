"""What stands in a cubin, read by pyelftools: NVIDIA documents the format in no file, its tools print these facts."""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

# CUDA 13, and 12.9 for sm_100 and later, write ABI 8, with the arch's number one byte further left.
_OLD_ABI = 7
# st_other of a symbol that is a kernel, and its place in a symbol of 24 bytes.
_ENTRY, _ST_OTHER, _SYMBOL = 0x10, 5, 24
# An attribute of .nv.info: format 4 is (symbol, value), two words behind a head of four bytes.
_PAIR = 4
_REGISTERS, _FRAME = 0x2F, 0x11


@dataclass(frozen=True, kw_only=True)
class CubinFacts:
    """One cubin: the arch's number (90), "ET_EXEC" or "ET_REL", kernels, undefined symbols.

    `registers` is the count, `frame` the stack in bytes, each by function.
    """

    sm: int
    type: str
    kernels: frozenset[str]
    undefined: frozenset[str]
    registers: Mapping[str, int]
    frame: Mapping[str, int]


def read(path: Path) -> CubinFacts:
    """Read a cubin."""
    with path.open("rb") as file:
        elf = ELFFile(file)
        assert elf["e_machine"] == "EM_CUDA"
        table, section = elf.get_section_by_name(".symtab"), elf.get_section_by_name(".nv.info")
        assert isinstance(table, SymbolTableSection)
        assert section is not None
        names = [symbol.name for symbol in table.iter_symbols()]
        info = list(_pairs(section.data()))
        return CubinFacts(
            sm=_number(int(elf["e_flags"]), int(elf["e_ident"]["EI_ABIVERSION"])),
            type=str(elf["e_type"]),
            kernels=_kernels(table, names),
            undefined=frozenset(s.name for s in table.iter_symbols() if s.name and s["st_shndx"] == "SHN_UNDEF"),
            registers={names[symbol]: value for kind, symbol, value in info if kind == _REGISTERS},
            frame={names[symbol]: value for kind, symbol, value in info if kind == _FRAME},
        )


def _number(flags: int, abi: int) -> int:
    return flags & 0xFF if abi <= _OLD_ABI else flags >> 8 & 0xFF


def _kernels(table: SymbolTableSection, names: list[str]) -> frozenset[str]:
    raw = table.data()
    return frozenset(name for n, name in enumerate(names) if raw[n * _SYMBOL + _ST_OTHER] & _ENTRY)


def _pairs(info: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield kind, symbol's index and value of each attribute that is a pair."""
    position = 0
    while position < len(info):
        form, kind, size = struct.unpack_from("<BBH", info, position)
        position += 4
        if form == _PAIR:
            if size == 8:
                yield (kind, *struct.unpack_from("<II", info, position))
            position += size
