"""The archs of the AMD GPUs here: what TVM_ROCM_ARCH says, else what rocminfo sees."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from tvm.error import ConfigError, ToolNotFound
from tvm.support import _gfx, _rocm_paths, process
from tvm.support._arguments import Arg
from tvm.support.utils import which
from tvm.target import Target

VARIABLE = "TVM_ROCM_ARCH"
FIX = f"set {VARIABLE} to the arch of the GPU, such as gfx942 (several: gfx942,gfx1100)"
# An agent's own name, not the one of its instruction set (amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-).
_NAME = re.compile(r"^\s*Name:\s+(gfx[0-9a-f]+)\s*$", re.MULTILINE)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# The longest that rocminfo may take, in seconds.
_LIMIT = 60.0


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The archs, each once, in order; without any, `why` is a sentence."""

    archs: tuple[str, ...]
    why: str = ""


def ask(rocm_path: Arg | None) -> Answer:
    """Return the archs; `rocm_path` is the folder whose rocminfo is asked (None: ROCm's own, else the one on PATH)."""
    if given := os.environ.get(VARIABLE, "").strip():
        return Answer(archs=_given(given))
    try:
        program = find_rocminfo(rocm_path)
    except ToolNotFound as error:
        return Answer(archs=(), why=f"{VARIABLE} is not set, and {error.cause}")
    done = process.run([program], check=False, timeout=_LIMIT)
    archs = tuple(dict.fromkeys(_NAME.findall(done.output))) if done.code == 0 else ()
    said = _COLOUR.sub("", done.output).strip().partition("\n")[0] or "nothing"
    return Answer(archs=archs, why=f"{VARIABLE} is not set, and {program} (exit code {done.code}) says: {said}")


def require(rocm_path: Arg | None = None) -> tuple[str, ...]:
    """Return the archs. ConfigError when there is none: what was asked, what it answered, what to set."""
    answer = ask(rocm_path)
    if not answer.archs:
        msg = f"no AMD GPU arch is known: {answer.why}"
        raise ConfigError(msg, fix=f"{FIX}, or pass the arch")
    return answer.archs


def chosen(arch: str | None) -> _gfx.Gfx:
    """Return the arch that a call is for: the one that is given, else the current target's, else the first one here."""
    return _gfx.parse(arch or _current() or require()[0])


def _current() -> str | None:
    target = Target.current()
    return str(target.mcpu) if target is not None and target.kind.name == "rocm" else None


def _given(text: str) -> tuple[str, ...]:
    archs = (word.strip() for word in text.split(","))
    try:
        return tuple(dict.fromkeys(_gfx.parse(arch).target_id for arch in archs))
    except ConfigError as error:
        msg = f"{VARIABLE}: {error.cause}"
        raise ConfigError(msg, fix=error.fix) from None


def find_rocminfo(rocm_path: Arg | None = None) -> str:
    """Return the path of rocminfo: that of `rocm_path`, else ROCm's own, else the one on PATH. ToolNotFound without one."""
    if rocm_path is not None:
        return process.locate(Path(rocm_path).absolute() / "bin/rocminfo")
    try:
        beside = which(Path(_rocm_paths.find_rocm_path()).absolute() / "bin/rocminfo")
    except ToolNotFound:
        beside = None
    return beside or process.locate("rocminfo")
