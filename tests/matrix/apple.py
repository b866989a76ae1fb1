"""Apple's systems: what a dylib for each must say, as llvm-objdump reads it, and whether its signature is that of its bytes."""

import hashlib
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tvm.support import process

_LIMIT = 120.0
# cs_blobs.h of Apple's xnu: numbers are big-endian.
_SUPER_BLOB, _DIRECTORY = 0xFADE0CC0, 0xFADE0C02
_AD_HOC, _SHA256 = 0x2, 2


@dataclass(frozen=True, kw_only=True)
class System:
    """One system and arch: its SDK as xcrun calls it, what a file of it says, and whether it runs unsigned code."""

    name: str
    sdk: str
    arch: str
    cpu: str
    platform: str
    minimum: str
    signed: bool = False

    @property
    def target(self) -> str:
        """The triple that clang compiles for."""
        system = {"macos": "macos", "ios": "ios", "iossimulator": "ios"}[self.platform]
        environment = "-simulator" if self.platform == "iossimulator" else ""
        return f"{self.arch}-apple-{system}{self.minimum}{environment}"


# An arm64 Mac and its simulators load signed code only; an iPhone's is signed when the app is.
SYSTEMS: Mapping[str, System] = {
    system.name: system
    for system in (
        System(
            name="macos-arm64",
            sdk="macosx",
            arch="arm64",
            cpu="ARM64",
            platform="macos",
            minimum="11.0",
            signed=True,
        ),
        System(name="macos-x86_64", sdk="macosx", arch="x86_64", cpu="X86_64", platform="macos", minimum="10.15"),
        System(name="ios-arm64", sdk="iphoneos", arch="arm64", cpu="ARM64", platform="ios", minimum="13.0"),
        System(
            name="ios-simulator-arm64",
            sdk="iphonesimulator",
            arch="arm64",
            cpu="ARM64",
            platform="iossimulator",
            minimum="14.0",
            signed=True,
        ),
        System(
            name="ios-simulator-x86_64",
            sdk="iphonesimulator",
            arch="x86_64",
            cpu="X86_64",
            platform="iossimulator",
            minimum="13.0",
        ),
    )
}


@dataclass(frozen=True, kw_only=True)
class MachOFacts:
    """One file. `signature` is where its code signature lies: offset and size in bytes."""

    cpu: str
    type: str
    platform: str
    minimum: str
    install_name: str
    needed: tuple[str, ...]
    exports: frozenset[str]
    signature: tuple[int, int] | None


def read(path: Path) -> MachOFacts:
    """Read a dylib."""
    headers = _objdump("--private-headers", path)
    cpu, kind = re.findall(r"^ *MH_MAGIC_64 +(\w+) +\w+ +0x\w+ +(\w+) ", headers, re.MULTILINE)[0]
    commands = [part.split("\n", 1)[-1] for part in re.split(r"^Load command \d+$", headers, flags=re.MULTILINE)]
    (version,) = (text for text in commands if "cmd LC_BUILD_VERSION" in text)
    (named,) = (text for text in commands if "cmd LC_ID_DYLIB" in text)
    signatures = [text for text in commands if "cmd LC_CODE_SIGNATURE" in text]
    return MachOFacts(
        cpu=cpu,
        type=kind,
        platform=_field("platform", version),
        minimum=_field("minos", version),
        install_name=_field("name", named),
        needed=tuple(_field("name", text) for text in commands if "cmd LC_LOAD_DYLIB" in text),
        exports=frozenset(re.findall(r"^0x[0-9A-F]+ +(\S+)", _objdump("--exports-trie", path), re.MULTILINE)),
        signature=(int(_field("dataoff", signatures[0])), int(_field("datasize", signatures[0])))
        if signatures
        else None,
    )


def verify_signature(path: Path, facts: MachOFacts) -> int:
    """Compare every page's hash in an ad-hoc signature with the page, as the kernel does; return how many pages there are."""
    assert facts.signature
    offset, size = facts.signature
    data = path.read_bytes()
    magic, _, count = struct.unpack_from(">III", data, offset)
    assert (magic, count >= 1) == (_SUPER_BLOB, True)
    (directory,) = struct.unpack_from(">I", data, offset + 16)
    start = offset + directory
    magic, length, _, flags, hashes, _, _, pages, limit = struct.unpack_from(">9I", data, start)
    hash_size, hash_type, _, page_shift = struct.unpack_from(">4B", data, start + 36)
    assert (magic, flags & _AD_HOC, hash_type, limit) == (_DIRECTORY, _AD_HOC, _SHA256, offset)
    assert directory + length <= size
    page = 1 << page_shift
    signed = [data[start + hashes + n * hash_size :][:hash_size] for n in range(pages)]
    assert signed == [hashlib.sha256(data[at : min(at + page, limit)]).digest() for at in range(0, limit, page)]
    return int(pages)


def _objdump(option: str, path: Path) -> str:
    return process.run(["llvm-objdump", "--macho", option, path], timeout=_LIMIT).output


def _field(name: str, text: str) -> str:
    hit = re.search(rf"^ *{name} +(\S+)", text, re.MULTILINE)
    assert hit, f"no {name} in {text}"
    return hit[1]
