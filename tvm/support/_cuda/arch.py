"""GPU architectures: their spellings (sm_90a, compute_90a, words of -gencode) as one value."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tvm.support._cuda.errors import CudaArgumentError

_SPELLING = re.compile(r"(?:(sm|compute)_)?(\d{2,3})([af]?)")
_GENCODE = re.compile(r"arch=compute_\w+,code=(?:\[([^\]]+)\]|(\w+))")
_GENCODE_WORDS = ("-gencode", "--generate-code")
_ARCH_WORDS = ("-arch", "--gpu-architecture")
_FIX = 'pass arch="sm_90a" (or compute_90a), or a list of such names'


@dataclass(frozen=True, kw_only=True)
class Arch:
    """One architecture: number (90), suffix ("", "a", "f"), and what a fat binary shall hold for it: its code, its PTX."""

    number: int
    suffix: str = ""
    cubin: bool = True
    ptx: bool = True

    @property
    def sm(self) -> str:
        """Its name as a real architecture."""
        return f"sm_{self.number}{self.suffix}"

    @property
    def compute(self) -> str:
        """Its name as a virtual architecture."""
        return f"compute_{self.number}{self.suffix}"

    @property
    def version(self) -> str:
        """Its compute capability: "9.0.a", "10.0"."""
        major, minor = divmod(self.number, 10)
        return ".".join(filter(None, (str(major), str(minor), self.suffix)))


def parse(text: str) -> Arch:
    """Return the architecture of one spelling. sm_X stands for code and PTX, as after nvcc's -arch; compute_X for PTX alone."""
    hit = _SPELLING.fullmatch(text.strip())
    if hit is None:
        msg = f"no CUDA architecture: {text!r}"
        raise CudaArgumentError(msg, fix=_FIX)
    return Arch(number=int(hit[2]), suffix=hit[3], cubin=hit[1] != "compute")


def parse_all(given: str | Sequence[str]) -> tuple[Arch, ...]:
    """Return the architectures of one name, of a list of names, or of nvcc's words (-arch=X, -gencode arch=X,code=Y)."""
    words = [given] if isinstance(given, str) else list(given) if isinstance(given, Sequence) else []
    if not words or not all(isinstance(word, str) for word in words):
        msg = f"arch must be a str or a list of str, not {given!r}"
        raise CudaArgumentError(msg, fix=_FIX)
    return tuple(dict.fromkeys(_archs(words)))


def split(options: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split options into the words that name architectures and the others."""
    names, others, rest = [], [], iter(options)
    for word in rest:
        head, equals, _ = word.partition("=")
        if head not in (*_GENCODE_WORDS, *_ARCH_WORDS):
            others.append(word)
        else:
            names += [word] if equals else [word, *([value] if (value := next(rest, None)) else [])]
    return tuple(names), tuple(others)


def single(archs: Sequence[Arch], *, product: str) -> Arch:
    """Return the only architecture; a product of one format holds code for no more."""
    if len(archs) != 1:
        names = ", ".join(arch.sm for arch in archs)
        msg = f"a {product} holds code for one architecture, not for {len(archs)}: {names}"
        raise CudaArgumentError(msg, fix='ask for target_format="fatbin", or compile once for each')
    return archs[0]


def _archs(words: Sequence[str]) -> Iterator[Arch]:
    rest = iter(words)
    for word in rest:
        head, equals, value = word.partition("=")
        if head in (*_GENCODE_WORDS, *_ARCH_WORDS):
            value = value if equals else next(rest, "")
        if head in _GENCODE_WORDS:
            yield from _generated(value)
        else:
            yield parse(value if head in _ARCH_WORDS else word)


def _generated(value: str) -> Iterator[Arch]:
    hit = _GENCODE.fullmatch(value.replace(" ", ""))
    if hit is None:
        msg = f"no value of -gencode: {value!r}"
        raise CudaArgumentError(
            msg, fix="spell it arch=compute_90a,code=sm_90a or arch=compute_90,code=[sm_90,compute_90]"
        )
    names = (hit[1] or hit[2]).split(",")
    for arch in dict.fromkeys(map(_plain, names)):
        real = any(name.startswith("sm_") and _plain(name) == arch for name in names)
        virtual = any(name.startswith("compute_") and _plain(name) == arch for name in names)
        yield Arch(number=arch.number, suffix=arch.suffix, cubin=real, ptx=virtual)


def _plain(name: str) -> Arch:
    arch = parse(name)
    return Arch(number=arch.number, suffix=arch.suffix)
