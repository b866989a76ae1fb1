"""Where ROCm lies, and in it the device libraries and the LLVM that belongs to them."""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from tvm.error import ToolNotFound
from tvm.support import _llvm
from tvm.support.utils import is_file, is_folder, search_path, which

DEFAULT = Path("/opt/rocm")
_FIX = "install ROCm (Debian forky: hipcc, rocm-device-libs-21), or set ROCM_PATH to the folder that holds bin/hipcc"
# Below ROCm's folder, in the order they are tried: AMD's packages, clang's resource folder, Debian 12, and the seed's.
_BITCODE = (
    "amdgcn/bitcode",
    "llvm/lib/clang/*/lib/amdgcn/bitcode",
    "lib/llvm*/lib/clang/*/amdgcn/bitcode",
    "lib/*-linux-gnu/amdgcn/bitcode",
    "lib",
)


def find_rocm_path() -> str:
    """Return ROCm's folder: ROCM_PATH as it is, else the one that hipcc on PATH lies in, else /opt/rocm if it has a hipcc.

    ToolNotFound, with the places, if there is none.
    """
    if given := os.environ.get("ROCM_PATH"):
        return given
    if hipcc := which("hipcc"):
        return str(Path(hipcc).resolve().parent.parent)
    if which(DEFAULT / "bin/hipcc"):
        return str(DEFAULT)
    msg = "Cannot find ROCm path: ROCM_PATH is not set, and there is no hipcc"
    raise ToolNotFound(msg, looked=[*search_path(), str(DEFAULT / "bin")], fix=_FIX)


def bitcode_folder(root: Path) -> Path:
    """Return the folder of the device libraries (ocml.bc) below ROCm's folder. ToolNotFound, with the places, if there is none."""
    for folder in _bitcode_folders(root):
        return folder
    msg = f"no device libraries (ocml.bc) below {root}"
    fix = "install them (Debian forky: rocm-device-libs-21), set ROCM_PATH, or give their folder"
    raise ToolNotFound(msg, looked=[str(root / place) for place in _BITCODE], fix=fix)


def library(folder: Path, name: str) -> Path | None:
    """Return the file of one device library, None where it is missing. Releases before 3.9 name it NAME.amdgcn.bc."""
    files = (folder / f"{name}{suffix}" for suffix in (".bc", ".amdgcn.bc"))
    return next((file for file in files if is_file(file)), None)


def find(tool: str, *, required: bool = True) -> list[str]:
    """Return the paths of an LLVM tool, the best one first. ToolNotFound if there is none and it is required.

    ROCm's own comes first (see `find_rocm_path`), then the one beside the device libraries, then names with and without a
    version on PATH (`_llvm.find`), then /opt/rocm's.
    """
    first = [place for root in _rocm_path() for place in _tool_places(root, tool)]
    last = list(_tool_places(DEFAULT, tool))
    named = (*map(which, first), *_llvm.find(tool, required=False), *map(which, last))
    found = list(dict.fromkeys(path for path in named if path))
    if required and not found:
        raise _not_found(tool, [*first, *last])
    return found


def hipcc() -> tuple[str, Path]:
    """Return the path of hipcc and the folder of the ROCm it belongs to. ToolNotFound if it is not there."""
    root = Path(find_rocm_path())
    place = root / "bin/hipcc"
    if found := which(place.absolute()):
        return found, root
    msg = f"no hipcc in ROCm's folder {root}"
    raise ToolNotFound(msg, looked=[str(place)], fix=_FIX)


def _rocm_path() -> list[Path]:
    try:
        return [Path(find_rocm_path())]
    except ToolNotFound:
        return []


def _tool_places(root: Path, tool: str) -> Iterator[Path]:
    """Yield where a tool of ROCm's LLVM may be."""
    base = root.absolute()
    yield base / "llvm/bin" / tool
    yield base / "lib/llvm/bin" / tool
    # Debian keeps several versions of LLVM: only the one that the device libraries are part of can read them for sure.
    for folder in _bitcode_folders(base):
        above = folder.resolve().parents
        yield from (parent / "bin" / tool for parent in above if parent / "lib/clang" in above)


def _bitcode_folders(root: Path) -> Iterator[Path]:
    for pattern in _BITCODE if is_folder(root) else ():
        for folder in sorted(root.glob(pattern), key=_by_numbers, reverse=True):
            if library(folder, "ocml"):
                yield folder


def _by_numbers(folder: Path) -> tuple[list[int], str]:
    return [int(digits) for digits in re.findall(r"\d+", str(folder))], str(folder)


def _not_found(tool: str, places: Sequence[Path]) -> ToolNotFound:
    msg = f"cannot find {tool}: not in ROCm's LLVM, and no {tool} or {tool}-VERSION is on PATH"
    looked = dict.fromkeys((*(str(place.parent) for place in places), *search_path()))
    return ToolNotFound(
        msg, looked=list(looked), fix=f"install {tool} (Debian forky: lld-21, llvm-21), or set ROCM_PATH"
    )
