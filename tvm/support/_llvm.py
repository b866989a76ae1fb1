"""Find the programs of an LLVM installation, whose names may carry a version: clang, clang-19."""

import os
import re
from pathlib import Path

from tvm.error import ConfigError, ToolNotFound
from tvm.support.utils import search_path, which

_WRITER = re.compile(rb"clang version (\d+)\.")


def find(tool: str, *, version: int | None = None, required: bool = True) -> list[str]:
    """Return the absolute paths of a tool, the best one first.

    Names are tried in this order: with the version TVM_LLVM_VERSION says, else `version`; without a version; with the highest
    one on PATH. Never the current directory. ToolNotFound with the names and folders if there is none and it is required.
    """
    wanted = version_setting() or version
    exact = [] if wanted is None else [f"{tool}-{wanted}.0", f"{tool}-{wanted}"]
    names = [*exact, tool, f"{tool}.exe", *_versioned(tool)]
    found = dict.fromkeys(path for path in map(which, names) if path)
    if required and not found:
        msg = f"cannot find {tool}: none of {', '.join(dict.fromkeys(names))} or {tool}-VERSION is on PATH"
        raise ToolNotFound(
            msg, looked=search_path(), fix=f"install {tool}, or set TVM_LLVM_VERSION to the version installed"
        )
    return list(found)


def version_setting() -> int | None:
    """Return the major version that TVM_LLVM_VERSION asks for ("19", "19.1"), or None. ConfigError when it is no version."""
    text = os.environ.get("TVM_LLVM_VERSION", "").strip()
    if not text:
        return None
    major = text.partition(".")[0]
    if not (major.isascii() and major.isdigit()):
        msg = f"TVM_LLVM_VERSION is no version: {text!r}"
        raise ConfigError(msg, fix="set it to a major version, such as 19, or unset it")
    return int(major)


def writer_version(file: Path) -> int | None:
    """Return the major version of the clang that wrote an LLVM file (.ll, .bc), or None where the file does not say."""
    if file.suffix not in {".ll", ".bc"} or not file.is_file():
        return None
    hit = _WRITER.search(file.read_bytes())
    return int(hit[1]) if hit else None


def _versioned(tool: str) -> list[str]:
    """Return the names of the tool with a version that stand on PATH, the highest version first."""
    pattern = re.compile(rf"{re.escape(tool)}-(\d+)(?:\.(\d+))?(?:\.exe)?")
    hits = (pattern.fullmatch(name) for folder in search_path() for name in _names(folder))
    versions = {hit[0]: (int(hit[1]), int(hit[2] or 0)) for hit in hits if hit}
    return sorted(versions, key=lambda name: (versions[name], name), reverse=True)


def _names(folder: str) -> list[str]:
    try:
        return [entry.name for entry in Path(folder).iterdir()]
    except OSError:
        return []
