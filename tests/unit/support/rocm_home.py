"""A folder laid out as ROCm's: device libraries as empty files, and programs that record their calls."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.unit.stand_in import StandIn, write
from tvm.support import _rocm_paths

CONSTANTS = ("daz_opt", "unsafe_math", "finite_only", "correctly_rounded_sqrt", "wavefrontsize64")
ISAS = ("900", "906", "90a", "942", "1030", "1100", "1201", "9-4-generic")
# An ELF header of a code object: only the first bytes and the machine are read.
CODE_OBJECT = b"\x7fELF\x02\x01\x01@" + bytes(10) + (224).to_bytes(2, "little")
# Writes one where -o, alone or joined, says; the stand-in itself would write text.
MAKES_CODE_OBJECT = f"""
for place, word in enumerate(args):
    if word.startswith("-o"):
        with open(word[2:] or args[place + 1], "wb") as file:
            file.write({CODE_OBJECT!r})
"""


def lay_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return ROCm's folder: device libraries, no programs. Temporary folders go to `folder`/temporary."""
    monkeypatch.setattr(_rocm_paths, "DEFAULT", folder / "default")
    (folder / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder / "temporary"))
    bitcode(folder / "rocm/amdgcn/bitcode")
    monkeypatch.setenv("ROCM_PATH", str(folder / "rocm"))
    return folder / "rocm"


def bitcode(
    folder: Path, *, isas: Sequence[str] = ISAS, abis: Sequence[int] = (400, 500, 600), suffix: str = ".bc"
) -> Path:
    """Fill a folder with the names of device libraries."""
    folder.mkdir(parents=True, exist_ok=True)
    names = ["ocml", "ockl", *(f"oclc_{name}_{state}" for name in CONSTANTS for state in ("on", "off"))]
    names += [*(f"oclc_isa_version_{isa}" for isa in isas), *(f"oclc_abi_version_{abi}" for abi in abis)]
    for name in names:
        (folder / f"{name}{suffix}").touch()
    return folder


def program(folder: Path, name: str, *, output: str = "", code: int = 0, body: str = "", makes: bool = True) -> StandIn:
    """Put a recording program into a folder that need not be on PATH."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / f"{name}.calls"
    return write(folder, log, name, output=output, code=code, body=body, makes=makes)
