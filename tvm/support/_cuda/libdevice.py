"""libdevice: the bitcode of CUDA's math functions, found by looking."""

import re
from collections.abc import Iterator
from pathlib import Path

from tvm.error import ToolNotFound
from tvm.support._cuda import caps, paths

_NAME = re.compile(r"libdevice(?:\.compute_(\d+))?\.10\.bc")


def find(arch: object) -> Path:
    """Return the libdevice for an arch (80, "80", "sm_80", "8.0"): the plain one, else the newest that is not newer than it."""
    major, minor = caps.capability(int(arch) if isinstance(arch, str) and arch.isdigit() else arch)
    number = major * 10 + minor
    for folder in _folders():
        fitting = [(made_for, file) for made_for, file in _files(folder) if made_for is None or made_for <= number]
        if fitting:
            return max(fitting, key=lambda entry: (entry[0] is None, entry[0] or 0))[1]
    msg = f"cannot find libdevice for arch {number}"
    places = [str(folder) for folder in _folders()] or paths.looked()
    raise ToolNotFound(
        msg, looked=places, fix="install nvidia-cuda-nvcc-cu12 or nvidia-nvvm, or set CUDA_PATH to a whole toolkit"
    )


def _folders() -> list[Path]:
    return [folder for found in paths.toolkits() for folder in found.libdevices]


def _files(folder: Path) -> Iterator[tuple[int | None, Path]]:
    for file in sorted(folder.iterdir()):
        if hit := _NAME.fullmatch(file.name):
            yield (int(hit[1]) if hit[1] else None), file
