"""What a code object is made for, and the steps that are the same from whatever source it is made."""

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tvm.error import ConfigError
from tvm.support import _gfx, _rocm_arch
from tvm.support._arguments import Arg, paths, words
from tvm.support._gfx import Gfx
from tvm.support._staging import private, staged
from tvm.support.utils import is_source_path

_VERSIONS = (4, 5, 6)
_ELF = b"\x7fELF"
_EM_AMDGPU = 224
# What clang's offload bundles begin with, and compressed ones.
_BUNDLES = (b"__CLANG_OFFLOAD_BUNDLE__", b"CCOB")
_FIX_BUNDLE = "take the bundle apart with clang-offload-bundler, or compile with --no-gpu-bundle-output"
_HEAD = 64


@dataclass(frozen=True, kw_only=True)
class Code:
    """One code object: processor, size of a wave, code object version, further options of the compiler."""

    gfx: Gfx
    wave: int
    version: int
    options: tuple[str, ...]

    @property
    def words(self) -> list[str]:
        """All of it as words, for a name."""
        return [self.gfx.target_id, str(self.wave), str(self.version), *self.options]


# Makes a code object: the source's path, the product's path, a folder for what lies between.
Build = Callable[[str, str, Path], None]


def wanted(arch: str | None, wavefront: int | None, version: int, options: Sequence[Arg] | None) -> Code:
    """Check what a caller gave, before anything is written."""
    if version not in _VERSIONS:
        msg = f"no code object version: {version!r}"
        raise ConfigError(msg, fix=f"one of: {', '.join(map(str, _VERSIONS))}")
    gfx = _rocm_arch.chosen(arch)
    return Code(gfx=gfx, wave=_gfx.wave_size(gfx, wavefront), version=version, options=words(options))


def make(source: Arg, name: str, output: Arg | None, code: Code, build: Build) -> bytes:
    """Return the code object that `build` makes of a path, or of the source itself staged as `name`; `output` gets it too."""
    with private(folder_for([os.fspath(source), name, *code.words])) as work:
        given = _file(source, work / name)
        target = Path(output) if output is not None else work / "kernel.co"
        with staged(target) as stage:
            build(given, stage.product, work)
            _require_code_object(stage.folder / stage.name)
        return target.read_bytes()


def folder_for(said: Sequence[str]) -> Path:
    """Return the temporary folder of a call: the same one for the same words."""
    text = json.dumps(list(said)).encode(errors="surrogateescape")
    return Path(tempfile.gettempdir(), f"tvm-{hashlib.sha256(text).hexdigest()[:16]}")


def advice(file: Path) -> str:
    """Return what to do about a file that is no object for AMD GPUs, "" where nothing is known to be wrong with it."""
    head = _head(file)
    if head.startswith(_BUNDLES):
        return f"{file} is an offload bundle, not an ELF file: {_FIX_BUNDLE}"
    if head.startswith(_ELF) and _machine(head) != _EM_AMDGPU:
        return f"{file} is an object for another machine (ELF machine {_machine(head)}): make it with llc -mtriple=amdgcn-amd-amdhsa"
    if not head.startswith(_ELF):
        return f"{file} is no ELF file: give an object that llc or clang made for amdgcn-amd-amdhsa"
    return ""


def _require_code_object(product: Path) -> None:
    head = _head(product)
    if head and not (head.startswith(_ELF) and _machine(head) == _EM_AMDGPU):
        what = "an offload bundle" if head.startswith(_BUNDLES) else "something else"
        msg = f"the compiler was asked for an ELF file for AMD GPUs and wrote {what}"
        raise ConfigError(
            msg, fix="take out the options that make it write something else (-c, -S, --gpu-bundle-output)"
        )


def _file(source: Arg, staged_at: Path) -> str:
    if is_source_path(source):
        return paths(source, name="code")[0]
    staged_at.write_text(str(source), encoding="utf-8", errors="surrogateescape")
    return str(staged_at)


def _head(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            return stream.read(_HEAD)
    except OSError:
        return b""


def _machine(head: bytes) -> int:
    return int.from_bytes(head[18:20], "little")
