"""Which CUDA a toolkit is: what its files say, and only then what its nvcc says."""

import json
import re
from functools import lru_cache
from pathlib import Path

from tvm.error import CompileError, TVMError
from tvm.support import process
from tvm.support._cuda import toolkit
from tvm.support._cuda.toolkit import Toolkit

_LIMIT = 20.0
_NUMBERS = re.compile(r"\d+(?:\.\d+)+")
_RUNTIME = re.compile(r"^#define\s+CUDART_VERSION\s+(\d+)", re.MULTILINE)
_NVCC = re.compile(r"release .*\bV(\d+(?:\.\d+)+)")


def of(root: Path) -> tuple[int, ...]:
    """Return the version of the toolkit at a root: (12, 9, 1) or (12, 9). TVMError when nothing there tells it."""
    found = _toolkit(root)
    version = _json(root / "version.json") or _text(root / "version.txt") or _text(root / "lib/cuda/version.txt")
    if version is None and found and found.headers:
        version = header_version(found.headers)
    if version is None and found and (nvcc := found.program("nvcc")):
        version = _asked(nvcc)
    if version is None:
        msg = f"cannot read the CUDA version of {root}"
        files = (
            "version.json",
            "version.txt",
            "lib/cuda/version.txt",
            "include/cuda_runtime_api.h",
            "bin/nvcc --version",
        )
        raise TVMError(msg, looked=[f"{root}/{file}" for file in files], fix="set CUDA_PATH to a whole toolkit")
    return version


def _toolkit(root: Path) -> Toolkit | None:
    parts = toolkit.in_wheels(root.parent)
    # A wheel of CUDA 12 holds one part: its version stands in the headers of another.
    return parts if parts and parts.root == root else toolkit.at(root)


@lru_cache(maxsize=64)
def header_version(folder: Path | None) -> tuple[int, int] | None:
    """Return major and minor of the runtime's headers in a folder, or None."""
    try:
        text = Path(folder or ".", "cuda_runtime_api.h").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    hit = _RUNTIME.search(text)
    return (int(hit[1]) // 1000, int(hit[1]) % 1000 // 10) if hit else None


def _json(file: Path) -> tuple[int, ...] | None:
    try:
        said = json.loads(file.read_text(encoding="utf-8"))["cuda"]["version"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return _numbers(str(said))


def _text(file: Path) -> tuple[int, ...] | None:
    try:
        return _numbers(file.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return None


def _numbers(text: str) -> tuple[int, ...] | None:
    hit = _NUMBERS.search(text)
    return tuple(map(int, hit[0].split("."))) if hit else None


def _asked(nvcc: Path) -> tuple[int, ...] | None:
    try:
        said = process.run([nvcc, "--version"], check=False, timeout=_LIMIT)
    except CompileError:
        return None
    hit = _NVCC.search(said.output)
    return _numbers(hit[1]) if hit and said.code == 0 else None
