"""What is to be compiled, checked before anything is written."""

import hashlib
import json
import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tvm.support._cuda import arch as archs
from tvm.support._cuda import options as words
from tvm.support._cuda import settings, source
from tvm.support._cuda.arch import Arch
from tvm.support._cuda.errors import CudaArgumentError
from tvm.support._cuda.settings import Settings

NAME = "tvm_kernels.cu"
FORMATS = ("cubin", "ptx", "fatbin")

_log = logging.getLogger("tvm.support.nvcc")


@dataclass(frozen=True, kw_only=True)
class Job:
    """A source and how to compile it.

    `name` is the source's base name and `shown` the name it has in errors; `folders` are searched for its own headers;
    `archs` may be several for a fatbin only; `timeout` is in seconds, for each call of a tool.
    """

    code: str
    name: str
    shown: str
    archs: tuple[Arch, ...]
    target_format: str
    options: tuple[str, ...]
    fast_math: bool
    settings: Settings
    folders: tuple[Path, ...] = ()
    timeout: float | None = None

    @property
    def arch(self) -> Arch:
        """The one architecture of a cubin or of PTX."""
        return archs.single(self.archs, product=self.target_format)

    @property
    def nvshmem(self) -> bool:
        """Whether NVSHMEM's device library is to be linked in."""
        return source.uses_nvshmem(self.code)

    def key(self, compiler: str) -> str:
        """Return 16 hex digits that stand for this source, compiled so by this compiler, in whatever folder it lies."""
        said = [
            compiler,
            self.code,
            self.name,
            self.target_format,
            [(arch.sm, arch.cubin, arch.ptx) for arch in self.archs],
        ]
        flags = [*words.common(self.settings, fast_math=self.fast_math), *words.observed(self.settings), *self.options]
        extra = [*self.settings.nvrtc, *self.settings.nvcc]
        return hashlib.sha256(json.dumps([said, flags, extra]).encode()).hexdigest()[:16]

    def log(self, text: str) -> None:
        """Hand on what a tool said although it succeeded: warnings, registers, spills."""
        if said := text.strip():
            _log.info("%s", said)


def job(
    code: str | os.PathLike[str],
    target_format: str | None,
    arch: str | Sequence[str],
    options: str | Sequence[str] | None,
    *,
    default_format: str,
    fast_math: bool,
    timeout: float | None,
) -> Job:
    """Return the job for what a caller gave. A path is a file to read; a str is the source itself."""
    file = Path(code) if isinstance(code, os.PathLike) else None
    text = file.read_text(encoding="utf-8") if file else str(code)
    made = Job(
        code=text,
        name=file.name if file else NAME,
        shown=str(file) if file else NAME,
        archs=archs.parse_all(arch),
        target_format=target_format or ("cubin" if source.uses_nvshmem(text) else default_format),
        options=words.words(options),
        fast_math=fast_math,
        settings=settings.read(),
        folders=(file.absolute().parent,) if file else (),
        timeout=timeout,
    )
    _check(made)
    return made


def _check(given: Job) -> None:
    if given.target_format not in FORMATS:
        msg = f"target_format is {given.target_format!r}"
        raise CudaArgumentError(msg, fix=f"ask for one of {', '.join(FORMATS)}")
    if given.nvshmem and given.target_format != "cubin":
        msg = f"the source includes NVSHMEM: linked with its device library it is a cubin, not {given.target_format}"
        raise CudaArgumentError(msg, fix='ask for target_format="cubin", or leave it out')
    if given.target_format != "fatbin":
        archs.single(given.archs, product=given.target_format)
