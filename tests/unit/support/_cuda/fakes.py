"""Stand-ins for NVIDIA's libraries and for the folders that CUDA lies in."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

CUBIN = b"\x7fELF a cubin"
PTX = b".version 8.8"
FATBIN = b"a fat binary"


@dataclass
class Call:
    """One program that NVRTC was given."""

    code: str
    name: str
    headers: dict[str, str]
    options: list[str] = field(default_factory=list)
    destroyed: bool = False


@dataclass
class Nvrtc:
    """cuda.bindings.nvrtc: it records programs and gives what it is told to give."""

    version: tuple[int, int] = (12, 9)
    code: int = 0
    log: str = ""
    cubin: bytes = CUBIN
    create: int = 0
    calls: list[Call] = field(default_factory=list)

    def nvrtcVersion(self) -> tuple[int, int, int]:  # noqa: N802 - NVIDIA's names, here and below
        return 0, *self.version

    def nvrtcCreateProgram(  # noqa: N802
        self, code: bytes, name: bytes, count: int, texts: Sequence[bytes], names: Sequence[bytes]
    ) -> tuple[int, int]:
        assert count == len(texts) == len(names)
        headers = {key.decode(): text.decode() for key, text in zip(names, texts, strict=True)}
        self.calls.append(Call(code=code.decode(), name=name.decode(), headers=headers))
        return self.create, len(self.calls) - 1

    def nvrtcCompileProgram(self, handle: int, count: int, words: Sequence[bytes]) -> tuple[int]:  # noqa: N802
        assert count == len(words)
        self.calls[handle].options = [os.fsdecode(word) for word in words]
        return (self.code,)

    def nvrtcDestroyProgram(self, handle: int) -> tuple[int]:  # noqa: N802
        self.calls[handle].destroyed = True
        return (0,)

    def nvrtcGetProgramLogSize(self, _handle: int) -> tuple[int, int]:  # noqa: N802
        return 0, len(self._log())

    def nvrtcGetProgramLog(self, _handle: int, data: bytearray) -> tuple[int]:  # noqa: N802
        data[:] = self._log()
        return (0,)

    def nvrtcGetCUBINSize(self, _handle: int) -> tuple[int, int]:  # noqa: N802
        return 0, len(self.cubin)

    def nvrtcGetCUBIN(self, _handle: int, data: bytearray) -> tuple[int]:  # noqa: N802
        data[:] = self.cubin
        return (0,)

    def nvrtcGetPTXSize(self, _handle: int) -> tuple[int, int]:  # noqa: N802
        return 0, len(PTX) + 1

    def nvrtcGetPTX(self, _handle: int, data: bytearray) -> tuple[int]:  # noqa: N802
        data[:] = PTX + b"\0"
        return (0,)

    def _log(self) -> bytes:
        return self.log.encode() + b"\n\0"


class LinkError(Exception):
    """What nvJitLink raises."""

    status = 7


@dataclass
class Nvjitlink:
    """cuda.bindings.nvjitlink: it records what is linked."""

    fails: bool = False
    log: str = ""
    added: list[tuple[str, str, bytes]] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    destroyed: int = 0
    InputType: SimpleNamespace = field(default_factory=lambda: SimpleNamespace(CUBIN="cubin", LIBRARY="library"))
    nvJitLinkError: type[Exception] = LinkError  # noqa: N815

    def version(self) -> tuple[int, int]:
        return 12, 9

    def create(self, count: int, options: list[str]) -> int:
        assert count == len(options)
        self.options = options
        return 1

    def add_data(self, _handle: int, kind: str, data: bytes, size: int, name: str) -> None:
        assert size == len(data)
        self.added.append((kind, name, data))

    def complete(self, _handle: int) -> None:
        if self.fails:
            raise LinkError

    def get_linked_cubin_size(self, _handle: int) -> int:
        return len(CUBIN)

    def get_linked_cubin(self, _handle: int, data: bytearray) -> None:
        data[:] = CUBIN

    def get_error_log_size(self, _handle: int) -> int:
        return len(self.log)

    def get_error_log(self, _handle: int, data: bytearray) -> None:
        data[:] = self.log.encode()

    def get_info_log_size(self, _handle: int) -> int:
        return 0

    def destroy(self, _handle: int) -> None:
        self.destroyed += 1


class FatbinError(Exception):
    """What nvfatbin raises."""


@dataclass
class Nvfatbin:
    """cuda.bindings.nvfatbin: it records what is packed."""

    fails: bool = False
    added: list[tuple[str, str, bytes]] = field(default_factory=list)
    destroyed: int = 0
    nvFatbinError: type[Exception] = FatbinError  # noqa: N815

    def version(self) -> tuple[int, int]:
        return 12, 9

    def create(self, options: list[str], count: int) -> int:
        assert count == len(options)
        return 1

    def add_cubin(self, _handle: int, data: bytes, size: int, arch: str, _name: str) -> None:
        assert size == len(data)
        self.added.append(("cubin", arch, data))

    def add_ptx(self, _handle: int, data: bytes, size: int, arch: str, _name: str, _options: str) -> None:
        assert size == len(data)
        self.added.append(("ptx", arch, data))

    def size(self, _handle: int) -> int:
        if self.fails:
            msg = "no room"
            raise FatbinError(msg)
        return len(FATBIN)

    def get(self, _handle: int, data: bytearray) -> None:
        data[:] = FATBIN

    def destroy(self, _handle: int) -> None:
        self.destroyed += 1


def touch(file: Path, text: str = "") -> Path:
    """Write a file, and the folders above it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def headers(folder: Path, version: int = 12090) -> Path:
    """Write the runtime's headers of a CUDA version to a folder."""
    touch(folder / "cuda_runtime.h")
    touch(folder / "cuda_runtime_api.h", f"/* ... */\n#define CUDART_VERSION  {version}\n")
    return folder


def program(file: Path, text: str = "#!/bin/false\n") -> Path:
    """Write a program."""
    touch(file, text).chmod(0o755)
    return file


def toolkit(root: Path, version: int = 12090) -> Path:
    """Write a toolkit in NVIDIA's layout: headers, nvcc, nvlink, libdevice, libraries."""
    headers(root / "include", version)
    program(root / "bin" / "nvcc")
    touch(root / "nvvm" / "libdevice" / "libdevice.10.bc")
    touch(root / "lib64" / "libcudadevrt.a", "the device runtime")
    return root


def nvshmem(root: Path, archive: bytes = b"") -> Path:
    """Write an NVSHMEM in its wheel's layout."""
    touch(root / "include" / "nvshmem.h")
    touch(root / "lib" / "libnvshmem_device.a").write_bytes(archive)
    return root


def fat_archive(code: Sequence[int], ptx: Sequence[int] = ()) -> bytes:
    """Return a device library with entries of these architectures, somewhere in a file."""
    entries = b"".join(_entry(kind, arch) for kind, archs in ((2, code), (1, ptx)) for arch in archs)
    container = (0xBA55ED50).to_bytes(4, "little") + b"\1\0\x10\0" + len(entries).to_bytes(8, "little") + entries
    return b"!<arch>\nlibrary" + container + b"padding" + container


def _entry(kind: int, arch: int) -> bytes:
    body = b"code"
    head = kind.to_bytes(2, "little") + b"\1\1" + (64).to_bytes(4, "little") + len(body).to_bytes(8, "little")
    return (head + bytes(12) + arch.to_bytes(4, "little")).ljust(64, b"\0") + body
