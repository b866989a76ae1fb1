"""AMD's names of processors (gfx942, gfx9-4-generic) and what follows from them.

Source: LLVM's "User Guide for AMDGPU Backend", sections Processors and Target ID.
"""

import re
from dataclasses import dataclass

from tvm.error import ConfigError

# The last two digits are hexadecimal: minor version and stepping.
_EXACT = re.compile(r"gfx(?P<major>\d{1,2})(?P<minor>[0-9a-f])(?P<stepping>[0-9a-f])")
_GENERIC = re.compile(r"gfx(?P<major>\d{1,2})(-(?P<minor>\d))?-generic")
_FEATURE = re.compile(r"(sramecc|xnack)[+-]")
# gfx9 processors with matrix instructions (CDNA): all of minor 4 and 5, and of minor 0 these steppings. Others are Vega.
_CDNA_MINORS = frozenset({4, 5})
_CDNA_STEPPINGS = frozenset({0x8, 0xA})
_FIRST_WITH_TWO_WAVES = 10
_FIRST_WITH_WMMA = 11


@dataclass(frozen=True, kw_only=True)
class Gfx:
    """One processor. `features` are those of the target ID ("xnack+"), `stepping` is None for a generic processor."""

    processor: str
    features: tuple[str, ...]
    major: int
    minor: int
    stepping: int | None

    @property
    def target_id(self) -> str:
        """The name as clang takes it: gfx90a:sramecc+:xnack-."""
        return ":".join((self.processor, *self.features))

    @property
    def isa(self) -> str:
        """What stands in the name of the processor's bitcode: oclc_isa_version_<this>."""
        return self.processor.removeprefix("gfx")

    @property
    def waves(self) -> tuple[int, ...]:
        """The sizes of a wave that it can run, its own default first."""
        return (64,) if self.major < _FIRST_WITH_TWO_WAVES else (32, 64)


def parse(text: str) -> Gfx:
    """Read a target ID (gfx90a, gfx942:xnack+, gfx11-generic). ConfigError when it is none."""
    processor, *features = text.split(":")
    hit = _EXACT.fullmatch(processor) or _GENERIC.fullmatch(processor)
    if hit is None or not all(map(_FEATURE.fullmatch, features)):
        msg = f"{text!r} is no AMD GPU arch"
        raise ConfigError(msg, fix="give a processor such as gfx942, with features as in gfx90a:sramecc+:xnack-")
    parts = hit.groupdict()
    return Gfx(
        processor=processor,
        features=tuple(sorted(features)),
        major=int(parts["major"]),
        minor=int(parts["minor"] or "0", 16),
        stepping=int(parts["stepping"], 16) if "stepping" in parts else None,
    )


def wave_size(gfx: Gfx, wanted: int | None) -> int:
    """Return the size of a wave: the one that is wanted, else the processor's default. ConfigError if it cannot run it."""
    if wanted is None:
        return gfx.waves[0]
    if wanted not in gfx.waves:
        msg = f"{gfx.processor} runs no waves of {wanted}"
        raise ConfigError(msg, fix=f"one of: {', '.join(map(str, gfx.waves))}")
    return wanted


def has_matrix_instructions(major: int, minor: int, stepping: int | None) -> bool:
    """Tell whether a processor multiplies matrices: MFMA of CDNA (gfx908, gfx90a, gfx94x, gfx950), WMMA of RDNA 3 and 4."""
    if major == 9:  # noqa: PLR2004 - the generation that Vega and CDNA share
        return minor in _CDNA_MINORS or (minor == 0 and stepping in _CDNA_STEPPINGS)
    return major >= _FIRST_WITH_WMMA
