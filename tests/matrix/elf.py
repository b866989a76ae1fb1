"""What stands in an ELF file, read by pyelftools."""

import struct
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import NoteSection, StringTableSection, SymbolTableSection


@dataclass(frozen=True, kw_only=True)
class ElfFacts:
    """One file. `alignment` is the smallest one of its loaded segments in bytes, `android_api` what its ident note says."""

    machine: str
    bits: int
    type: str
    soname: str
    needed: tuple[str, ...]
    exports: frozenset[str]
    alignment: int
    android_api: int | None


def read(path: Path) -> ElfFacts:
    """Read an ELF file."""
    with path.open("rb") as file:
        elf = ELFFile(file)
        soname, needed = _dynamic(elf)
        return ElfFacts(
            machine=str(elf["e_machine"]),
            bits=int(elf.elfclass),
            type=str(elf["e_type"]),
            soname=soname,
            needed=needed,
            exports=_exports(elf),
            alignment=min((int(part["p_align"]) for part in elf.iter_segments("PT_LOAD")), default=0),
            android_api=_android_api(elf),
        )


def _dynamic(elf: ELFFile) -> tuple[str, tuple[str, ...]]:
    section = elf.get_section_by_name(".dynamic")
    if not isinstance(section, DynamicSection):
        return "", ()
    strings = elf.get_section(section["sh_link"])
    assert isinstance(strings, StringTableSection)
    sonames, needed = (
        [strings.get_string(tag["d_val"]) for tag in section.iter_tags(kind)] for kind in ("DT_SONAME", "DT_NEEDED")
    )
    return "".join(sonames), tuple(needed)


def _exports(elf: ELFFile) -> frozenset[str]:
    table = elf.get_section_by_name(".dynsym")
    if not isinstance(table, SymbolTableSection):
        return frozenset()
    defined = (symbol for symbol in table.iter_symbols() if symbol["st_shndx"] != "SHN_UNDEF")
    return frozenset(symbol.name for symbol in defined if symbol["st_info"]["bind"] == "STB_GLOBAL")


def _android_api(elf: ELFFile) -> int | None:
    section = elf.get_section_by_name(".note.android.ident")
    if not isinstance(section, NoteSection):
        return None
    (note,) = section.iter_notes()
    assert note["n_name"] == "Android"
    raw = note["n_descdata"]
    assert isinstance(raw, bytes)
    return int(struct.unpack_from("<I", raw)[0])
