"""One CUDA toolkit: where a root keeps headers, tools, libraries and libdevice, whatever laid it out."""

import platform
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tvm.support.utils import is_file, is_folder

PARTS = ("cuda_nvcc", "cuda_runtime", "cuda_cccl")


@dataclass(frozen=True, kw_only=True)
class Toolkit:
    """A root with what was seen under it. Folders that are not there are left out."""

    root: Path
    includes: tuple[Path, ...]
    bins: tuple[Path, ...]
    libs: tuple[Path, ...]
    libdevices: tuple[Path, ...]

    @property
    def headers(self) -> Path | None:
        """The folder that holds cuda_runtime.h."""
        return next((folder for folder in self.includes if is_file(folder / "cuda_runtime.h")), None)

    def program(self, name: str) -> Path | None:
        """Return one of its programs."""
        places = (folder / (name + suffix) for folder in self.bins for suffix in ("", ".exe"))
        return next((place for place in places if is_file(place)), None)

    def library(self, name: str) -> Path | None:
        """Return one of its libraries."""
        return next((folder / name for folder in self.libs if is_file(folder / name)), None)


def at(root: Path) -> Toolkit | None:
    """Return the toolkit at a root: NVIDIA's layout, conda's, a cu13 wheel's or Debian's. None if there is nothing of CUDA."""
    targets = [root / "targets" / name for name in target_names()]
    return _seen(
        root,
        includes=(folder / name for folder in (root, *targets) for name in ("include", "include/cccl")),
        bins=(root / "bin",),
        libs=(
            *(folder / name for folder in (root, *targets) for name in ("lib64", "lib", "lib/x64")),
            *(root / "lib" / name for name in multiarch_names()),
        ),
        # Debian keeps libdevice beside its tools.
        libdevices=(
            root / "nvvm" / "libdevice",
            root / "lib/nvidia-cuda-toolkit/libdevice",
            root / "libdevice",
        ),
    )


def in_wheels(folder: Path) -> Toolkit | None:
    """Return the toolkit that wheels have put into a folder `nvidia`: one tree (cu13), or one per part (cu12)."""
    trees = sorted(
        (tree for tree in folder.glob("cu[0-9]*") if tree.name[2:].isdigit()), key=lambda tree: int(tree.name[2:])
    )
    for tree in reversed(trees):
        if found := at(tree):
            return found
    parts = [folder / name for name in PARTS]
    return _seen(
        next((part for part in parts if is_folder(part)), folder),
        includes=(part / name for part in parts for name in ("include",)),
        bins=(part / "bin" for part in parts),
        libs=(part / "lib" for part in parts),
        libdevices=(part / "nvvm" / "libdevice" for part in parts),
    )


def target_names() -> tuple[str, ...]:
    """Return the names of this machine under `targets`, the first one first: on Arm servers NVIDIA's is sbsa."""
    machine = _machine()
    return ("sbsa-linux", "aarch64-linux") if machine == "aarch64" else (f"{machine}-linux",)


def multiarch_names() -> tuple[str, ...]:
    """Return Debian's name of this machine's library folder."""
    return (f"{_machine()}-linux-gnu",)


def _machine() -> str:
    machine = platform.machine().lower()
    return {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)


def _seen(
    root: Path, *, includes: Iterable[Path], bins: Iterable[Path], libs: Iterable[Path], libdevices: Iterable[Path]
) -> Toolkit | None:
    found = Toolkit(
        root=root,
        includes=_folders(includes),
        bins=_folders(bins),
        libs=_folders(libs),
        libdevices=_folders(libdevices),
    )
    # A root such as /usr has folders of these names without any CUDA in them.
    libdevice = any(any(folder.glob("libdevice*.bc")) for folder in found.libdevices)
    return found if found.headers or found.program("nvcc") or libdevice else None


def _folders(paths: Iterable[Path]) -> tuple[Path, ...]:
    # NVIDIA's own trees link include and lib64 to targets/NAME: each once.
    return tuple({path.resolve(): path for path in reversed([*paths]) if is_folder(path)}.values())[::-1]
