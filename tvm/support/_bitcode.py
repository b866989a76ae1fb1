"""The device libraries that belong together for one processor: maths, and the constants that it is compiled with."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tvm.error import ConfigError, ToolNotFound
from tvm.support import _rocm_paths
from tvm.support._gfx import Gfx

# The lowest that runs on every ROCm since 5.6, and what the seed asks for.
ABI = 500
_ISA = "oclc_isa_version_"
_ABI = "oclc_abi_version_"


@dataclass(frozen=True, kw_only=True)
class Maths:
    """How exact device maths is: denormals, infinities and NaNs, short cuts, square roots."""

    daz: bool = False
    finite_only: bool = False
    unsafe: bool = False
    correctly_rounded_sqrt: bool = True


def select(folder: Path, gfx: Gfx, *, wave: int, abi: int | None, maths: Maths) -> list[str]:
    """Return the files of one consistent set, in the order they are to be linked.

    `abi` is 400, 500 or 600 (None: 500, else the highest there; releases before 5.3 have none). ToolNotFound names the
    file that is missing.
    """
    return [
        _file(folder, "ocml"),
        _file(folder, "ockl"),
        _file(folder, f"oclc_daz_opt_{_on(maths.daz)}"),
        _file(folder, f"oclc_unsafe_math_{_on(maths.unsafe)}"),
        _file(folder, f"oclc_finite_only_{_on(maths.finite_only)}"),
        _file(folder, f"oclc_correctly_rounded_sqrt_{_on(maths.correctly_rounded_sqrt)}"),
        _file(folder, f"oclc_wavefrontsize64_{_on(wave == 64)}"),  # noqa: PLR2004 - it stands in the name
        _isa(folder, gfx),
        *_abi(folder, abi),
    ]


def folder_of(given: Path | None) -> Path:
    """Return the folder of the device libraries: the one that is given, else the one of ROCm."""
    if given is None:
        return _rocm_paths.bitcode_folder(Path(_rocm_paths.find_rocm_path()))
    if not given.is_dir():
        msg = f"the folder of the device libraries is not there: {given}"
        raise ToolNotFound(msg, looked=[str(given)], fix="give the folder that holds ocml.bc, or none")
    return given


def _file(folder: Path, name: str) -> str:
    if found := _rocm_paths.library(folder, name):
        return str(found)
    msg = f"could not find bitcode {name}"
    raise ToolNotFound(msg, looked=[str(folder)], fix="install the whole package of ROCm's device libraries")


def _isa(folder: Path, gfx: Gfx) -> str:
    if found := _rocm_paths.library(folder, _ISA + gfx.isa):
        return str(found)
    msg = f"could not find bitcode {_ISA}{gfx.isa}: the device libraries in {folder} do not know {gfx.processor}"
    known = ", ".join(f"gfx{isa}" for isa in _numbers(folder, _ISA)) or "none"
    raise ToolNotFound(msg, looked=[str(folder)], fix=f"install newer ones, or choose an arch that they know: {known}")


def _abi(folder: Path, wanted: int | None) -> Iterator[str]:
    known = _numbers(folder, _ABI)
    if wanted is None:
        if known:
            yield _file(folder, _ABI + (str(ABI) if str(ABI) in known else max(known, key=int)))
    elif str(wanted) in known:
        yield _file(folder, f"{_ABI}{wanted}")
    else:
        msg = f"could not find bitcode {_ABI}{wanted}"
        raise ConfigError(msg, looked=[str(folder)], fix=f"one of: {', '.join(known) or 'none'}")


def _numbers(folder: Path, prefix: str) -> list[str]:
    names = (file.name.partition(".")[0] for file in folder.glob(f"{prefix}*.bc"))
    return sorted({name.removeprefix(prefix) for name in names})


def _on(switch: bool) -> str:  # noqa: FBT001 - a name of the switch's own position
    return "on" if switch else "off"
